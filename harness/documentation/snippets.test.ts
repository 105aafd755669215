import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Command } from '../cli/command.ts';
import { ENVIRONMENT } from '../cli/environment.ts';
import { loadAllCommands } from '../cli/registry.ts';
import { COMPONENTS } from '../images/components.ts';
import { CONTROL_VARIABLES, DATABASE_VARIABLES, EXECUTOR_VARIABLES, MANAGER_VARIABLES, SETUP_VARIABLES } from './environment/product-variables.ts';
import { readFences } from './fences.ts';
import { markdownFiles, readMarkdown } from './markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
const commands = new Map((await loadAllCommands()).map((command) => [command.name, command]));

/** Documents for people who use this; the folders' own READMEs are for those who change it. */
const GUIDES = markdownFiles().filter((path) => /^(docs\/|README|CONTRIBUTING|evidence\/BUNDLE)/.test(path));
const shellOf = (path: string) => readFences(readMarkdown(path)).filter(({ language }) => language === 'sh');

/** What a command line of the guides starts, with the options that follow it. */
interface Call {
  readonly script: string;
  readonly words: readonly string[];
}

function callsIn(text: string): Call[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n').map((line) => line.replace(/\s#.*$/, ''));
  return lines.flatMap((line) => {
    const [, script, rest] = /(?:npm run|npx pnpm@10\.34\.9|npx ql3-evidence|\bql3-evidence)((?: -s| run(?= \w))*(?: [\w:-]+))(.*)/.exec(line) ?? [];
    if (script === undefined) return [];
    const name = script.trim().split(' ').at(-1) as string;
    return name === 'run' && !line.includes('ql3-evidence') ? [] : [{ script: name, words: (rest ?? '').split(/[;|<>]/)[0]!.split(/\s+/).filter((word) => word !== '' && word !== '--') }];
  });
}

/** `npm run -s rehearse` and `ql3-evidence rehearse` are the same command. */
function commandOf({ script }: Call): Command | undefined {
  const [, command = script] = /bootstrap\.mjs (\w+)$/.exec(scripts[script] ?? '') ?? [];
  return commands.get(command);
}

const VARIABLES = new Set([
  ...Object.keys(ENVIRONMENT).flatMap((names) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name as string)),
  ...Object.entries({
    QL3_CLUSTER_CONTROL_: CONTROL_VARIABLES,
    QL3_WORKER_CREDENTIAL_EXECUTOR_: EXECUTOR_VARIABLES,
    QL3_WORKER_CREDENTIAL_MANAGER_: MANAGER_VARIABLES,
    QL3_DATABASE_SETUP_: SETUP_VARIABLES,
    QL3_POSTGRES_SUPERUSER_: DATABASE_VARIABLES,
    QL3_POSTGRES_MIGRATION_: DATABASE_VARIABLES,
    QL3_POSTGRES_WORKER_INGRESS_: DATABASE_VARIABLES,
    QL3_POSTGRES_WORKER_CREDENTIAL_MANAGER_: DATABASE_VARIABLES,
    QL3_POSTGRES_WORKER_CREDENTIAL_EXECUTOR_: DATABASE_VARIABLES,
  }).flatMap(([prefix, rows]) => [prefix, ...rows.map(({ name }) => prefix + name)]),
]);

for (const path of GUIDES) {
  describe(`the commands in ${path}`, () => {
    const snippets = shellOf(path);

    test('are shell that Bash can read', async () => {
      for (const { text, line } of snippets) {
        await new Promise<void>((resolve) => {
          const child = execFile('bash', ['-n'], (error, _stdout, stderr) => {
            assert.equal(error, null, `${path}:${line}: ${stderr}`);
            resolve();
          });
          child.stdin?.end(text);
        });
      }
    });

    test('name scripts, commands and options that there are', () => {
      for (const { text, line } of snippets) {
        for (const call of callsIn(text)) {
          const command = commandOf(call);
          assert.ok(Object.hasOwn(scripts, call.script) || command !== undefined || call.script === 'install', `${path}:${line}: there is no script or command ${call.script}`);
          for (const [, option] of call.words.join(' ').matchAll(/(?<=^|\s)--([a-z-]+)/g)) {
            if (command !== undefined) assert.ok(option === 'json' || option === 'help' || Object.hasOwn(command.options, option as string), `${path}:${line}: ${call.script} has no option --${option}`);
          }
        }
      }
    });

    test('name files, programs, manifests and variables that there are', () => {
      const entries = new Set(Object.values(COMPONENTS).flatMap(({ entries: names }) => names.map((name) => `/app/${name}.mjs`)));
      for (const { text, line } of snippets) {
        for (const [, file] of text.matchAll(/\bnode ((?:harness|auditor|bench|evidence)\/[\w./-]+)/g)) assert.ok(existsSync(`${root}${file}`), `${path}:${line}: there is no ${file}`);
        for (const [program] of text.matchAll(/\/app\/\w+\.mjs/g)) assert.ok(entries.has(program), `${path}:${line}: no image has ${program}`);
        for (const [variable] of text.matchAll(/\bQL3_\w+\b/g)) assert.ok(VARIABLES.has(variable), `${path}:${line}: nothing reads ${variable}`);
      }
      // In the description of the bundle, paths are the bundle's.
      if (path === 'evidence/BUNDLE.md') return;
      for (const [, folder] of readMarkdown(path).matchAll(/`(?:\.\/)?((?:manifests|evidence|auditor|harness|images|bench|docs)\/[\w./*-]*)`/g)) {
        const pattern = (folder as string).replace(/\/$/, '');
        const found = pattern.includes('*') ? execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '--', pattern], { cwd: root, encoding: 'utf8' }) !== '' : existsSync(`${root}${pattern}`);
        assert.ok(found, `${path}: there is no ${folder}`);
      }
    });
  });
}

describe('the guide to a cluster of one’s own', () => {
  test('fills in every place that the overlay leaves open', () => {
    const overlay = execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '--', 'manifests/overlays/cluster'], { cwd: root, encoding: 'utf8' }).split('\n').filter((path) => path !== '');
    const open = new Set(overlay.flatMap((path) => [...readFileSync(`${root}${path}`, 'utf8').matchAll(/replace-with-([a-z][a-z-]*[a-z])/g)].map(([, name]) => name as string)));
    const filled = new Set(shellOf('docs/operating.md').flatMap(({ text }) => [...text.matchAll(/(?<=\s)([a-z][a-z-]+)=(?=["$\w])/g)].map(([, name]) => name as string)));
    assert.ok(open.size > 8);
    assert.deepEqual([...open].filter((name) => !filled.has(name)), []);
  });
});

describe('what the sabotage suite is said to catch', () => {
  test('every lie that the threat model names is told', () => {
    const listing = ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '--', 'harness/sabotage/log-lies', 'harness/sabotage/tree-lies'];
    const source = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\n').filter((path) => path.endsWith('.ts')).map((path) => readFileSync(`${root}${path}`, 'utf8')).join('\n');
    const told = new Set([...source.matchAll(/(?:name: |edited\(|told\()'([\w-]+)'/g)].map(([, name]) => name as string));
    const named = [...readMarkdown('docs/threat-model.md').matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name as string);
    assert.ok(named.length > 20);
    assert.deepEqual(named.filter((name) => !told.has(name)), []);
  });
});
