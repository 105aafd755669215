import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rehearsalLimitations } from '../../evidence/limitations.ts';
import { DOCUMENTS } from './all-documents.ts';
import { CONTROL_VARIABLES, DATABASE_VARIABLES, EXECUTOR_VARIABLES, MANAGER_VARIABLES, SETUP_VARIABLES } from './environment/product-variables.ts';
import { codesOf, ERROR_GROUPS } from './error-codes/error-codes-page.ts';
import { ACTOR_EVENTS, ADMINISTRATION, CONTROL_EVENTS, INIT_EVENTS, WORKER_EVENTS, type EventGroup } from './events/product-events.ts';
import { readUnion } from './source-unions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

/** The product's own files: what tests print or expect is no part of it. */
function sources(...folders: string[]): readonly { readonly path: string; readonly text: string }[] {
  const listed = execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '--', ...folders], { cwd: root, encoding: 'utf8' }).split('\n');
  return listed.filter((path) => path.endsWith('.ts') && !/(\.test\.ts$|\/testing\/|\/test-support\/)/.test(path) && existsSync(`${root}${path}`)).map((path) => ({ path, text: read(path) }));
}

function matches(files: readonly { readonly text: string }[], pattern: RegExp): Set<string> {
  return new Set(files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name as string)));
}

describe('generated documents', () => {
  for (const { path, content } of DOCUMENTS) {
    test(`${path} is what the source says; npm run docs writes it anew`, async () => {
      assert.equal(read(path), await content());
    });
  }
});

test('the page on reports has every limitation that a report may have', () => {
  const all = [true, false].flatMap((embedded) => rehearsalLimitations({ embedded, treeClean: false }));
  for (const sentence of all) assert.ok(read('docs/reading-a-report.md').includes(`* ${sentence}\n`), sentence);
});

describe('error codes', () => {
  for (const group of ERROR_GROUPS) {
    test(`${group.title}: every code of the source has a meaning and a cure, and no other is told`, () => {
      assert.deepEqual(new Set(Object.keys(group.codes)), new Set(codesOf(group)));
      const { source } = group;
      if ('only' in source) for (const name of source.only) assert.ok(read(source.file).includes(name), `${source.file} has no ${name} any more`);
      for (const [code, { meaning, cure }] of Object.entries(group.codes)) assert.ok(meaning.endsWith('.') && /[.:]$|`$/.test(cure), `${code}: sentences, please`);
    });
  }

  test('every closed set of codes in the source belongs to a group', () => {
    const described = new Set(ERROR_GROUPS.map(({ source }) => source.file));
    // Said by the embedded cluster's own parts to Kubernetes clients, or not coded at all.
    const elsewhere = /^harness\/(sabotage|substrate\/embedded\/(api-server|node-agent|controllers))\//;
    for (const { path, text } of sources('evidence', 'auditor', 'harness', 'images')) {
      if (elsewhere.test(path) || !/export (abstract )?class \w*Error extends/.test(text) || !/\bcode\b/.test(text)) continue;
      assert.ok(described.has(path), `${path} has an error with a code, and docs/error-codes.md has no group for it`);
    }
  });

  test('every finding of the auditor is explained', () => {
    const [, list] = /FINDING_CODES = \[([^\]]+)\]/.exec(read('auditor/findings.ts')) ?? [];
    const codes = [...(list ?? '').matchAll(/'(\w+)'/g)].map(([, code]) => code);
    assert.deepEqual(codes, Object.keys(ERROR_GROUPS.find(({ source }) => source.file === 'auditor/findings.ts')?.codes ?? {}));
  });
});

describe('events', () => {
  const told = ({ events }: EventGroup) => new Set(events.map(({ event }) => event));

  test('the Worker prints these and no others', () => {
    assert.deepEqual(told(WORKER_EVENTS), new Set(readUnion('images/worker/src/process/event-log.ts', 'WorkerEvent')));
    assert.deepEqual(told(INIT_EVENTS), matches([{ text: read('images/worker/src/init.ts') }], /event: '(\w+)'/g));
    assert.deepEqual(told(ACTOR_EVENTS), matches([{ text: read('images/worker/src/actor.ts') }, { text: read('images/worker/src/rollout/actor-run.ts') }], /(?:event: |print\()'(\w+)'/g));
  });

  test('every group has the component that its lines carry', () => {
    const components = matches(sources('images/worker/src', 'images/cluster-control/src'), /(?:component: |COMPONENT = )'([\w-]+)'/g);
    assert.deepEqual(new Set([WORKER_EVENTS, INIT_EVENTS, ACTOR_EVENTS, CONTROL_EVENTS].map(({ component }) => component)), components);
  });

  test('Control prints these and no others', () => {
    const files = sources('images/cluster-control/src');
    const printed = matches(files, /(?:log|failures)(?:\.(?:info|warn|error)|\[[^\n]*\])\((?:\w+ \? '\w+' : )?'(\w+)'/g);
    const eitherOr = matches(files, /log\.info\(\w+ \? '(\w+)'/g);
    assert.deepEqual(told(CONTROL_EVENTS), new Set([...printed, ...eitherOr]));
  });

  test('each program of administration has its line', () => {
    const programs = sources('images/cluster-admin/src').filter(({ path, text }) => /^images\/cluster-admin\/src\/[a-z]+\.ts$/.test(path) && text.includes('runCommand('));
    assert.deepEqual(
      new Set(programs.map(({ path, text }) => [path.replace(/.*\/|\.ts$/g, ''), /component: '([\w-]+)'/.exec(text)?.[1], /subject: '(\w+)'/.exec(text)?.[1]].join(' '))),
      new Set(ADMINISTRATION.map(({ file, component, subject }) => [file, component, subject].join(' '))),
    );
  });
});

describe('environment', () => {
  test('every variable that Control and administration read is in the tables, and no other', () => {
    const files = sources('images/cluster-control/src', 'images/cluster-admin/src');
    const plain = matches(files, /(?:\.(?:required|optional|path|integer|oneOf)\(|Path\(\w+, )'([A-Z][A-Z_]+)'/g);
    const secret = matches(files, /(?:\.secret\(|readSecret\(\w+, )'([A-Z]+)'/g);
    const documented = [CONTROL_VARIABLES, EXECUTOR_VARIABLES, MANAGER_VARIABLES, SETUP_VARIABLES, DATABASE_VARIABLES].flat().map(({ name }) => name);
    assert.deepEqual(new Set(documented), new Set([...plain, ...secret, ...[...secret].map((name) => `${name}_FILE`)]));
  });
});
