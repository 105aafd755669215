import { checkObject, observedObject } from './observation-shapes.ts';
import { anything, digest, finite, integer, isObject, literal, nullable, object, record, text, type Shape, type TypeOf } from './shape.ts';

/** Shapes of what a bundle holds beside report and observations. */

const named = text();

/** One line of a container. Where it is a JSON object, `index` counts such lines of the container from 0; other text has none. */
export const containerLogLine = object({ namespace: named, podName: named, podUid: named, container: named, index: nullable(integer()), line: nullable(record(anything)), text: nullable(named) });
export type ContainerLogLine = TypeOf<typeof containerLogLine>;

/** One line of a log of the platform itself. */
export const platformLogLine = object({ log: text(/^[a-z0-9-]+\.log$/, 'the name of a log'), text: named });
export type PlatformLogLine = TypeOf<typeof platformLogLine>;

/** What the run said (`text`), or a span of its time (`endMs` set). Milliseconds since its start. */
export const runLogLine = object({ atMs: finite, endMs: nullable(finite), text: named });
export type RunLogLine = TypeOf<typeof runLogLine>;

export const versions = object({
  schemaVersion: literal(1),
  harness: object({ version: named, sourceRevision: text(/^[0-9a-f]{40}$/, '40 hex characters'), lockFileDigest: digest }),
  runtime: record(named),
  machine: object({ platform: named, architecture: named, release: named }),
  dependencies: record(named),
  kubernetes: object({ gitVersion: named, kubelets: record(named) }),
  postgresql: object({ serverVersion: named }),
});
export type Versions = TypeOf<typeof versions>;

/** A rendered object before the API server has seen it: of a Secret the names of its keys alone. */
export const renderedObject: Shape<Readonly<Record<string, unknown>>> = {
  schema: {},
  check(value, path, fault) {
    if (!isObject(value) || !isObject(value['metadata'])) return fault({ path, expected: 'a Kubernetes object with its metadata', got: 'something else' });
    const { name, namespace = '' } = value['metadata'];
    checkObject(value, path, fault);
    named.check(name, `${path}.metadata.name`, fault);
    named.check(namespace, `${path}.metadata.namespace`, fault);
  },
};

export const finalObject = observedObject;
