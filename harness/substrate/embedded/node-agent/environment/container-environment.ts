import type { ConfigMap, Container, Pod, Secret } from '../../controllers/runtime/objects.ts';
import { podField, type PodPlace, resourceField } from './downward-api.ts';
import { expandVariables } from './variable-expansion.ts';

type EnvVar = NonNullable<Container['env']>[number];
type EnvFrom = NonNullable<Container['envFrom']>[number];

/** Something that the container's configuration refers to does not exist (yet): reason CreateContainerConfigError. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}

export interface EnvironmentSources {
  readonly pod: Pod;
  readonly place: PodPlace;
  secret(name: string): Secret | undefined;
  configMap(name: string): ConfigMap | undefined;
}

/** A container's own variables, later ones over earlier ones: the image's, envFrom, env. */
export function containerVariables(container: Container, imageEnv: Readonly<Record<string, string>>, sources: EnvironmentSources): Map<string, string> {
  const variables = new Map(Object.entries(imageEnv));
  for (const from of container.envFrom ?? []) {
    for (const [name, value] of valuesFrom(from, sources)) variables.set(`${from.prefix ?? ''}${name}`, value);
  }
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, container, sources, variables);
    if (value !== undefined) variables.set(variable.name, value);
  }
  return variables;
}

function valuesFrom(from: EnvFrom, sources: EnvironmentSources): [string, string][] {
  if (from.secretRef !== undefined) {
    const { name = '', optional } = from.secretRef;
    const secret = sources.secret(name);
    if (secret === undefined && optional !== true) throw new ContainerConfigError(`secret "${name}" not found`);
    return Object.entries(secret?.data ?? {}).map(([key, value]) => [key, decode(value)]);
  }
  const { name = '', optional } = from.configMapRef ?? {};
  const configMap = sources.configMap(name);
  if (configMap === undefined && optional !== true) throw new ContainerConfigError(`configmap "${name}" not found`);
  return Object.entries(configMap?.data ?? {});
}

/** Undefined where an optional source is missing: the variable is then not set at all. */
function valueOf(variable: EnvVar, container: Container, sources: EnvironmentSources, variables: ReadonlyMap<string, string>): string | undefined {
  const from = variable.valueFrom;
  if (from === undefined) return expandVariables(variable.value ?? '', variables);
  if (from.fieldRef !== undefined) return podField(sources.pod, from.fieldRef.fieldPath, sources.place);
  if (from.resourceFieldRef !== undefined) return resourceField(container, from.resourceFieldRef.resource, from.resourceFieldRef.divisor);
  if (from.secretKeyRef !== undefined) {
    const { name = '', key, optional } = from.secretKeyRef;
    const value = sources.secret(name)?.data?.[key];
    return value === undefined ? missing('secret', name, key, optional, sources.secret(name)) : decode(value);
  }
  if (from.configMapKeyRef !== undefined) {
    const { name = '', key, optional } = from.configMapKeyRef;
    return sources.configMap(name)?.data?.[key] ?? missing('configmap', name, key, optional, sources.configMap(name));
  }
  throw new ContainerConfigError(`variable ${variable.name} has a source that this node does not know`);
}

function missing(kind: 'secret' | 'configmap', name: string, key: string, optional: boolean | undefined, object: Secret | ConfigMap | undefined): undefined {
  if (optional === true) return undefined;
  if (object === undefined) throw new ContainerConfigError(`${kind} "${name}" not found`);
  const kindName = kind === 'secret' ? 'Secret' : 'ConfigMap';
  throw new ContainerConfigError(`couldn't find key ${key} in ${kindName} ${object.metadata.namespace}/${name}`);
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
