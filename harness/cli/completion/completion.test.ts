import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMMAND_NAMES } from '../registry.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'ql3-completion-'));
after(() => rmSync(base, { recursive: true, force: true }));
mkdirSync(join(base, 'here'));
writeFileSync(join(base, 'here', 'a report.json'), '{}');
mkdirSync(join(base, 'here', 'bundle'));

/** What a shell offers for a line that the cursor stands at the end of. */
type Offers = (line: string) => readonly string[];

function skipWithout(shell: string): string | false {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0 ? false : `there is no ${shell} here`;
}

function scriptFor(shell: string): string {
  const path = join(base, `completion.${shell}`);
  writeFileSync(path, execFileSync(process.execPath, [MAIN, 'completion', shell], { stdio: ['ignore', 'pipe', 'inherit'] }));
  return path;
}

function linesOf(shell: string, args: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd: join(base, 'here'), env: { ...process.env, HOME: base, TERM: 'dumb' }, timeout: 60_000 });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout.split('\n').map((line) => line.trim()).filter((line) => line !== '').toSorted();
}

/** The words as bash parts them: "=" stands alone. */
function bashWords(line: string): readonly string[] {
  return line.split(' ').flatMap((word) => (/^--[^=]+=/.test(word) ? [word.slice(0, word.indexOf('=')), '=', ...(word.endsWith('=') ? [] : [word.slice(word.indexOf('=') + 1)])] : [word]));
}

function assertOffers(offers: Offers): void {
  assert.deepEqual(offers('ql3-evidence '), [...COMMAND_NAMES, 'help'].toSorted());
  assert.deepEqual(offers('ql3-evidence re'), ['rehearse']);
  assert.deepEqual(offers('ql3-evidence run --p').map((option) => option.replace(/=$/, '')), ['--pull']);
  assert.deepEqual(offers('ql3-evidence audit --profile='), ['rehearsal', 'release']);
  assert.deepEqual(offers('ql3-evidence audit --profile=reh'), ['rehearsal']);
  assert.deepEqual(offers('ql3-evidence audit --report=a'), ['a report.json']);
  assert.deepEqual(offers('ql3-evidence completion '), ['bash', 'fish', 'zsh']);
  assert.deepEqual(offers('ql3-evidence help doc'), ['doctor']);
}

describe('bash', { skip: skipWithout('bash') }, () => {
  let script = '';
  before(() => void (script = scriptFor('bash')));
  const ask = (words: readonly string[]): readonly string[] =>
    linesOf('bash', ['--norc', '-c', 'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _ql3_evidence; printf "%s\\n" "${COMPREPLY[@]}"', 'bash', script, ...words]);

  test('offers commands, options and their values', () => assertOffers((line) => ask(bashWords(line)).filter((word) => !(line === 'ql3-evidence ' && word.startsWith('-')))));

  test('offers an option once, but where it may be given again, and values also where its user lets bash part words at spaces alone', () => {
    const options = ask(['ql3-evidence', 'audit', '--report', '=', '/x', '--json', '--']);
    assert.ok(options.includes('--profile=') && !options.includes('--report=') && !options.includes('--json'), options.join(' '));
    for (const gate of [['--gate', '=', 'passed'], ['--gate=passed']]) assert.deepEqual(ask(['ql3-evidence', 'explain', ...gate, '--ga']), ['--gate=']);
    assert.deepEqual(ask(['ql3-evidence', 'audit', '--profile=rel']), ['--profile=release']);
  });
});

describe('zsh', { skip: skipWithout('zsh') }, () => {
  let script = '';
  before(() => void (script = scriptFor('zsh')));

  /** Its completion works in its line editor alone, so there is a terminal: each match is told with what it would insert. */
  const DRIVER = `
    zmodload zsh/zpty
    zpty completing zsh -f -i
    zpty -w completing 'PROMPT=; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -d ~/.zcompdump; zstyle ":completion:*" list-grouped false
      compadd () { local -a kept; builtin compadd -O kept "$@"; local each; for each in $kept; do print -r -- "OFFER $each"; done; builtin compadd "$@"; }
      source $1'
    zpty -w completing "source '$1'; done_completing() { print -r -- ENDED; exit }; zle -N done_completing; bindkey '^X' done_completing; bindkey '^I' complete-word; print -r -- READY"
    zpty -r -m completing seen '*READY*READY*' || exit 3
    zpty -w -n completing "$2"$'\\t\\x18'
    zpty -r -m completing seen '*ENDED*'
    print -r -- "$seen"
  `;
  const ask: Offers = (line) => [...new Set(linesOf('zsh', ['-f', '-c', DRIVER, 'zsh', script, line]).flatMap((seen) => /OFFER (.*)$/.exec(seen)?.[1]?.replaceAll(String.raw`\ `, ' ') ?? []))].toSorted();
  test('offers commands, options and their values', () => assertOffers(ask));
});

describe('fish', { skip: skipWithout('fish') }, () => {
  let script = '';
  before(() => void (script = scriptFor('fish')));
  const ask: Offers = (line) =>
    linesOf('fish', ['--no-config', '-c', 'source $argv[1]; complete --do-complete=$argv[2]', '--', script, line]).map((offer) => (offer.split('\t')[0] as string).replace(/^--[a-z-]+=(?=.)/, ''));
  test('offers commands, options and their values', () => assertOffers(ask));
});
