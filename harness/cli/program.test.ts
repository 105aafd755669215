import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CALL, PROGRAM } from './program.ts';
import { COMMAND_NAMES } from './registry.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '--', 'harness', 'auditor', 'docs', 'README.md', 'README.zh-CN.md'], { cwd: root, encoding: 'utf8' }).split('\n').filter((path) => existsSync(`${root}${path}`) && /\.(ts|mjs|md)$/.test(path) && !/(\.test\.ts$|\/testing\/)/.test(path));

/** A shell completes it under its own name alone. */
const UNDER_ITS_OWN_NAME = 'completion';

test('no screen and no document calls a command otherwise than one copies it into a shell in a clone', () => {
  const call = new RegExp(`(?<!npx )\\b${PROGRAM} (${COMMAND_NAMES.filter((name) => name !== UNDER_ITS_OWN_NAME).join('|')}|help|--help)\\b`);
  for (const path of files) {
    for (const line of readFileSync(`${root}${path}`, 'utf8').split('\n')) assert.doesNotMatch(line, call, `${path}: write ${CALL}`);
  }
});

test('what the program says names no script of a package manager for one of its commands', () => {
  const script = new RegExp(`\\b(npm run|pnpm)( -s| run)* (${COMMAND_NAMES.join('|')}|preflight)\\b`);
  for (const path of files.filter((name) => /^harness\/.*\.ts$/.test(name))) {
    for (const line of readFileSync(`${root}${path}`, 'utf8').split('\n').filter((each) => !each.trim().startsWith('*'))) assert.doesNotMatch(line, script, `${path}: write ${CALL}`);
  }
});
