import { execa } from 'execa';
import assert from 'node:assert/strict';
import { test } from 'node:test';

const PROGRAM = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ resolve: (specifier, context, next) => { const found = next(specifier, context); loaded.push(found.url); return found; } });
  await import(process.argv[1]);
  console.log(JSON.stringify(loaded));`;

test('a run does not load the Kubernetes client, which takes a second, before it has started the cluster', async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', PROGRAM, new URL('run.ts', import.meta.url).href]);
  const loaded = JSON.parse(stdout) as string[];
  assert.ok(loaded.some((url) => url.endsWith('/harness/run/failure-objects.ts')), 'expected what keeps the evidence of a failure to be loaded');
  assert.deepEqual(loaded.filter((url) => url.includes('/client-node/')), []);
});
