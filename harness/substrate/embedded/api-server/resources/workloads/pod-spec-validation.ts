import type { V1Container, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import { duplicate, fieldNotFound, forbiddenField, invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { configKeyFaults, dnsLabelFaults, environmentNameFaults } from '../../validation/name-grammar.ts';
import { validateQuantity } from '../../validation/quantity.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MIN_TOKEN_SECONDS = 600;

export function validatePodSpec(spec: V1PodSpec | undefined, field: string): FieldError[] {
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  const errors = [
    ...validateVolumes(spec?.volumes ?? [], `${field}.volumes`),
    ...((spec?.containers ?? []).length === 0 ? [required(`${field}.containers`)] : []),
    ...validateContainers(spec?.containers ?? [], volumes, `${field}.containers`),
    ...validateContainers(spec?.initContainers ?? [], volumes, `${field}.initContainers`),
  ];
  const names = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((container) => container.name);
  (spec?.initContainers ?? []).forEach((container, index) => {
    if (names.indexOf(container.name) < (spec?.containers ?? []).length) errors.push(duplicate(`${field}.initContainers[${index}].name`, container.name));
  });
  if (!['Always', 'OnFailure', 'Never'].includes(spec?.restartPolicy ?? 'Always')) {
    errors.push(notSupported(`${field}.restartPolicy`, spec?.restartPolicy, ['Always', 'OnFailure', 'Never']));
  }
  if ((spec?.terminationGracePeriodSeconds ?? 0) < 0) {
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, spec?.terminationGracePeriodSeconds, 'must be greater than or equal to 0'));
  }
  if (spec?.activeDeadlineSeconds !== undefined && !(spec.activeDeadlineSeconds >= 1)) {
    errors.push(invalid(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 'must be between 1 and 2147483647, inclusive'));
  }
  return errors;
}

function validateContainers(containers: readonly V1Container[], volumes: ReadonlyMap<string, V1Volume>, field: string): FieldError[] {
  return containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const twin = containers.findIndex((other) => other.name === container.name) < index;
    return [...validateContainer(container, volumes, at), ...(twin ? [duplicate(`${at}.name`, container.name)] : [])];
  });
}

function validateContainer(container: V1Container, volumes: ReadonlyMap<string, V1Volume>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((container.name ?? '') === '') errors.push(required(`${field}.name`));
  else errors.push(...dnsLabelFaults(container.name).map((fault) => invalid(`${field}.name`, container.name, fault)));
  if ((container.image ?? '') === '') errors.push(required(`${field}.image`));
  else if (container.image !== container.image?.trim()) errors.push(invalid(`${field}.image`, container.image, 'must not have leading or trailing whitespace'));
  if (!PULL_POLICIES.includes(container.imagePullPolicy ?? 'Always')) errors.push(notSupported(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES));
  (container.env ?? []).forEach((variable, index) => {
    const at = `${field}.env[${index}]`;
    if ((variable.name ?? '') === '') errors.push(required(`${at}.name`));
    else errors.push(...environmentNameFaults(variable.name).map((fault) => invalid(`${at}.name`, variable.name, fault)));
    if (variable.valueFrom === undefined) return;
    if ((variable.value ?? '') !== '') errors.push(invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    if (Object.keys(variable.valueFrom).length === 0) errors.push(invalid(`${at}.valueFrom`, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'));
  });
  (container.ports ?? []).forEach((port, index) => {
    const at = `${field}.ports[${index}]`;
    if (port.containerPort === undefined || port.containerPort === 0) errors.push(required(`${at}.containerPort`));
    else if (port.containerPort < 1 || port.containerPort > 65_535) errors.push(invalid(`${at}.containerPort`, port.containerPort, 'must be between 1 and 65535, inclusive'));
    if (!['TCP', 'UDP', 'SCTP'].includes(port.protocol ?? 'TCP')) errors.push(notSupported(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']));
  });
  errors.push(...validateMounts(container, volumes, field));
  for (const kind of ['limits', 'requests'] as const) {
    for (const [name, quantity] of Object.entries(container.resources?.[kind] ?? {})) errors.push(...validateQuantity(quantity, `${field}.resources.${kind}[${name}]`));
  }
  return errors;
}

function validateMounts(container: V1Container, volumes: ReadonlyMap<string, V1Volume>, field: string): FieldError[] {
  const mounts = container.volumeMounts ?? [];
  return mounts.flatMap((mount, index) => {
    const at = `${field}.volumeMounts[${index}]`;
    const errors: FieldError[] = [];
    if ((mount.name ?? '') === '') errors.push(required(`${at}.name`));
    else if (!volumes.has(mount.name)) errors.push(fieldNotFound(`${at}.name`, mount.name));
    if ((mount.mountPath ?? '') === '') errors.push(required(`${at}.mountPath`));
    else if (mounts.findIndex((other) => other.mountPath === mount.mountPath) < index) errors.push(invalid(`${at}.mountPath`, mount.mountPath, 'must be unique'));
    if ((mount.subPath ?? '').split('/').includes('..')) errors.push(invalid(`${at}.subPath`, mount.subPath, "must not contain '..'"));
    if ((mount.subPath ?? '').startsWith('/')) errors.push(invalid(`${at}.subPath`, mount.subPath, 'must be a relative path'));
    return errors;
  });
}

function validateVolumes(volumes: readonly V1Volume[], field: string): FieldError[] {
  return volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if ((volume.name ?? '') === '') errors.push(required(`${at}.name`));
    else errors.push(...dnsLabelFaults(volume.name).map((fault) => invalid(`${at}.name`, volume.name, fault)));
    if (volumes.findIndex((other) => other.name === volume.name) < index) errors.push(duplicate(`${at}.name`, volume.name));
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    for (const extra of sources.slice(1)) errors.push(forbiddenField(`${at}.${extra}`, 'may not specify more than 1 volume type'));
    errors.push(...validateVolumeSource(volume, at));
    return errors;
  });
}

function validateVolumeSource(volume: V1Volume, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (volume.secret !== undefined) {
    if ((volume.secret.secretName ?? '') === '') errors.push(required(`${field}.secret.secretName`));
    errors.push(...validateItems(volume.secret.items, `${field}.secret.items`), ...validateMode(volume.secret.defaultMode, `${field}.secret.defaultMode`));
  }
  if (volume.configMap !== undefined) {
    if ((volume.configMap.name ?? '') === '') errors.push(required(`${field}.configMap.name`));
    errors.push(...validateItems(volume.configMap.items, `${field}.configMap.items`), ...validateMode(volume.configMap.defaultMode, `${field}.configMap.defaultMode`));
  }
  if (volume.persistentVolumeClaim !== undefined && (volume.persistentVolumeClaim.claimName ?? '') === '') errors.push(required(`${field}.persistentVolumeClaim.claimName`));
  if (volume.projected !== undefined) errors.push(...validateMode(volume.projected.defaultMode, `${field}.projected.defaultMode`));
  (volume.projected?.sources ?? []).forEach((source, index) => {
    const at = `${field}.projected.sources[${index}]`;
    if (source.secret !== undefined) errors.push(...((source.secret.name ?? '') === '' ? [required(`${at}.secret.name`)] : []), ...validateItems(source.secret.items, `${at}.secret.items`));
    if (source.configMap !== undefined) errors.push(...((source.configMap.name ?? '') === '' ? [required(`${at}.configMap.name`)] : []), ...validateItems(source.configMap.items, `${at}.configMap.items`));
    const token = source.serviceAccountToken;
    if (token === undefined) return;
    if ((token.expirationSeconds ?? MIN_TOKEN_SECONDS) < MIN_TOKEN_SECONDS) errors.push(invalid(`${at}.serviceAccountToken.expirationSeconds`, token.expirationSeconds, 'may not specify a duration less than 10 minutes'));
    if ((token.path ?? '') === '') errors.push(required(`${at}.serviceAccountToken.path`));
  });
  if (volume.emptyDir?.sizeLimit !== undefined) errors.push(...validateQuantity(volume.emptyDir.sizeLimit, `${field}.emptyDir.sizeLimit`));
  return errors;
}

function validateItems(items: readonly { key: string; path: string; mode?: number }[] | undefined, field: string): FieldError[] {
  return (items ?? []).flatMap(({ key, path, mode }, index) => [
    ...((key ?? '') === '' ? [required(`${field}[${index}].key`)] : configKeyFaults(key).map((fault) => invalid(`${field}[${index}].key`, key, fault))),
    ...((path ?? '') === '' ? [required(`${field}[${index}].path`)] : []),
    ...((path ?? '').startsWith('/') ? [invalid(`${field}[${index}].path`, path, 'must be a relative path')] : []),
    ...((path ?? '').split('/').includes('..') ? [invalid(`${field}[${index}].path`, path, "must not contain '..'")] : []),
    ...validateMode(mode, `${field}[${index}].mode`),
  ]);
}

function validateMode(mode: number | undefined, field: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > 0o777) ? [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')] : [];
}
