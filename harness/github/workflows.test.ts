import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { OUTPUTS } from './tell-github.ts';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>>;
}

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const text = (path: string): string => readFileSync(at(path), 'utf8');
const { scripts, packageManager } = JSON.parse(text('package.json')) as { scripts: Readonly<Record<string, string>>; packageManager: string };

/** What npm and pnpm do themselves, without a script. */
const BUILTIN = new Set(['install']);
const CALL = /(?:^|[\s;|&!(])(npm|pnpm|npx --yes pnpm@\S+)((?: --?[a-z]+)*)(?: run)?((?: --?[a-z]+)*) ([a-z][a-z0-9:-]*)/g;

/** The scripts that a shell text calls through npm or pnpm. */
function scriptsOf(shell: string): string[] {
  return [...shell.matchAll(CALL)].map(([, , , , name]) => name ?? '');
}

describe('the workflows', () => {
  const covered = new Set(scriptsOf(text('.ci/run')));

  for (const name of readdirSync(at('.github/workflows'))) {
    const source = text(`.github/workflows/${name}`);
    const workflow = parse(source) as Workflow;
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

    test(`${name}: every script that it calls is there, and is run by .ci/run`, () => {
      const called = commands.flatMap(scriptsOf).filter((script) => !BUILTIN.has(script));
      assert.ok(called.length >= 3, `expected to find its scripts, got ${called.join(', ')}`);
      for (const script of called) {
        assert.ok(script === 'test' || script in scripts, `${script} is no script of package.json`);
        assert.ok(covered.has(script), `.ci/run does not run ${script}`);
      }
    });

    test(`${name}: pnpm is the one that the package names`, () => {
      for (const [, version] of commands.join('\n').matchAll(/pnpm@(\S+)/g)) assert.equal(`pnpm@${version}`, packageManager);
    });

    test(`${name}: nothing may write, but what signs, and that runs no command`, () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      for (const { permissions, steps: own } of Object.values(workflow.jobs)) {
        if (permissions === undefined) continue;
        assert.deepEqual(permissions, { 'id-token': 'write', attestations: 'write' });
        assert.ok(own.every(({ run, uses }) => run === undefined && uses?.startsWith('actions/attest') === true));
      }
    });

    test(`${name}: an action is named by its commit`, () => {
      for (const { uses } of steps) {
        if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/);
      }
    });

    test(`${name}: no value of an event is put into a command, and outputs are those that a run tells`, () => {
      for (const run of commands) assert.doesNotMatch(run, /\$\{\{/);
      for (const [, output] of source.matchAll(/steps\.contract\.outputs\.([a-z0-9-]+)/g)) assert.ok((OUTPUTS as readonly string[]).includes(output ?? ''), `a run tells no ${output}`);
    });
  }
});
