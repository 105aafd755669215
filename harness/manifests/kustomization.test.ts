import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { ManifestError } from './error.ts';
import { buildKustomization, buildResources } from './kustomization.ts';
import type { JsonObject, JsonValue } from './json-value.ts';

const manifests = fileURLToPath(new URL('../../manifests', import.meta.url));
const folders = (await readdir(manifests, { recursive: true })).filter((path) => path.endsWith('kustomization.yaml')).map((path) => join(manifests, dirname(path)));
const run = async (command: string, args: readonly string[]) => (await promisify(execFile)(command, args, { maxBuffer: 1 << 24 })).stdout;

/** kubectl carries a kustomize; where there is none the program itself does. Only that it is missing is a reason to do without. */
async function findKustomize(): Promise<readonly [string, string] | Error> {
  const reasons: string[] = [];
  for (const [command, verb] of [['kubectl', 'kustomize'], ['kustomize', 'build']] as const) {
    const reason = await run(command, [verb, '--help']).then(() => null, (error: Error) => error.message);
    if (reason === null) return [command, verb];
    reasons.push(reason);
  }
  return new Error(`neither kubectl nor kustomize: ${reasons.join('; ')}`);
}

const kustomize = await findKustomize();

/** Kustomize sorts objects; the order of environment variables and mounts means nothing either. */
function canonical(objects: readonly JsonValue[]): JsonValue[] {
  return objects.map(sorted).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value : canonical(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)).map(([key, item]) => [key, sorted(item)]));
}

for (const folder of folders) {
  test(`${relative(manifests, folder)} builds here as it does with kustomize`, { skip: kustomize instanceof Error ? kustomize.message : false }, async () => {
    assert.ok(!(kustomize instanceof Error));
    const [command, verb] = kustomize;
    const expected = parseAllDocuments(await run(command, [verb, folder])).map((document) => document.toJS() as JsonObject);
    assert.deepEqual(canonical(buildKustomization(folder)), canonical(expected));
  });
}

test('every manifest belongs to a folder that can be built', async () => {
  const files = (await readdir(manifests, { recursive: true })).filter((path) => path.endsWith('.yaml') && !path.endsWith('kustomization.yaml')).map((path) => join(manifests, path));
  const used = new Set(folders.flatMap((folder) => buildResources(folder).flatMap(({ file, patches }) => [file, ...patches])));
  // what the API server of a run records is a file of its own and no object
  assert.deepEqual(files.filter((file) => !used.has(file)).map((file) => relative(manifests, file)), ['audit/policy.yaml']);
});

test('what is not understood is refused', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'ql3-kustomization-'));
  context.after(() => rm(folder, { recursive: true }));
  const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
  const refuses = async (code: string, kustomization: string, patch = '') => {
    await writeFile(join(folder, 'kustomization.yaml'), kustomization);
    await writeFile(join(folder, 'object.yaml'), object);
    await writeFile(join(folder, 'patch.yaml'), patch);
    assert.throws(() => buildKustomization(folder), (error) => error instanceof ManifestError && error.code === code);
  };
  const patched = (target: string) => `resources: [object.yaml]\npatches: [{path: patch.yaml, target: ${target}}]\n`;
  await refuses('MANIFEST_FILE_INVALID', 'resources: [object.yaml]\nnamePrefix: x-\n');
  await refuses('MANIFEST_FILE_INVALID', 'resources: [object.yaml]\nresources: []\n');
  await refuses('MANIFEST_FILE_INVALID', patched('{labelSelector: a=b}'), '[]');
  await refuses('MANIFEST_PATCH_FAILED', patched('{kind: Secret}'), '[]');
  await refuses('MANIFEST_PATCH_FAILED', patched('{kind: ConfigMap}'), '[{op: replace, path: /data/x, value: 1}]');
  await refuses('MANIFEST_PATCH_FAILED', patched('{kind: ConfigMap}'), '[{op: test, path: /metadata/name, value: b}]');
});
