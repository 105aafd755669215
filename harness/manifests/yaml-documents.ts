import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { ManifestError } from './error.ts';
import type { JsonValue } from './json-value.ts';

/** The documents of one YAML file, as values of their own (an alias is a copy). Warnings count as faults. */
export function readYamlDocuments(path: string): JsonValue[] {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { strict: true, uniqueKeys: true });
  if (!Array.isArray(documents)) throw new ManifestError('MANIFEST_FILE_INVALID', `${path} holds no YAML document`);
  return documents.map((document) => {
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) throw new ManifestError('MANIFEST_FILE_INVALID', `${path} is not plain YAML: ${fault.message}`, { cause: fault });
    return JSON.parse(JSON.stringify(document.toJS())) as JsonValue;
  });
}
