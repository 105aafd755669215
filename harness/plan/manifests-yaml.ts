import { stringify } from 'yaml';
import { MADE_BY_RUN } from './planned-values.ts';
import type { PlannedObject } from './planned-objects.ts';

/** The objects as YAML, each under the files it comes from. A Secret's values are told by their keys alone. */
export function toYaml(objects: readonly PlannedObject[]): string {
  return objects.map(({ object, file, patches, step }) => `---\n# ${[file, ...patches].join(' + ')}\n# ${step}\n${stringify(withoutSecrets(object))}`).join('');
}

function withoutSecrets(object: PlannedObject['object']): object {
  if (object.kind !== 'Secret' || object.data === undefined) return object;
  return { ...object, data: Object.fromEntries(Object.keys(object.data).map((key) => [key, MADE_BY_RUN])) };
}
