import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';

const PRETEND = fileURLToPath(new URL('testing/pretend-run.ts', import.meta.url));
const SEEN_DEADLINE_MS = 60_000;
const hasScript = spawnSync('script', ['--version']).error === undefined;

interface TerminalOptions {
  readonly how: 'wait' | 'fail';
  readonly environment?: NodeJS.ProcessEnv;
  readonly columns?: number;
}

/** A pretend run on a pseudo-terminal of `script`, whose settings are written down before it and after it. */
class TerminalRun implements AsyncDisposable {
  output = '';
  readonly #folder = mkdtempSync(join(tmpdir(), 'ql3-terminal-'));
  readonly #script: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor({ how, environment = {}, columns = 100 }: TerminalOptions) {
    const program = join(this.#folder, 'program.sh');
    // the shell outlives the run, as the one of whoever started it does
    writeFileSync(
      program,
      `stty rows 30 columns ${columns}
stty -a >"${this.#folder}/before"
trap : INT
sh -c 'echo $$ >"$0"; exec "$@"' "${this.#folder}/pid" "${process.execPath}" "${PRETEND}" "${join(this.#folder, 'report.json')}" ${how} &
code=; until [ -n "$code" ] && ! kill -0 $! 2>/dev/null; do wait $!; code=$?; done
stty -a >"${this.#folder}/after"
echo "ended with $code"
`,
    );
    const { CI: _ci, NO_COLOR: _color, NODE_OPTIONS: _options, ...inherited } = process.env;
    this.#script = spawn('script', ['--quiet', '--flush', '--command', `exec sh -m ${program}`, join(this.#folder, 'typescript')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: { ...inherited, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', NODE_COMPILE_CACHE: join(tmpdir(), 'ql3-compile-cache'), ...environment },
    });
    this.#ended = once(this.#script, 'close');
    this.#script.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
      this.#script.emit('seen');
    });
  }

  /** Until it has been on the terminal. */
  seen(pattern: RegExp): Promise<void> {
    return this.#until(pattern, () => this.output);
  }

  /** Until it is on the screen: what is drawn in one write comes out of a terminal in pieces. */
  shown(pattern: RegExp): Promise<void> {
    return this.#until(pattern, () => this.screen.join('\n'));
  }

  async #until(pattern: RegExp, look: () => string): Promise<void> {
    const deadline = AbortSignal.timeout(SEEN_DEADLINE_MS);
    while (!pattern.test(look())) {
      await once(this.#script, 'seen', { signal: deadline }).catch(() => {
        throw new Error(`expected ${pattern} on the terminal, got\n${JSON.stringify(this.output)}`);
      });
    }
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(Number(readFileSync(join(this.#folder, 'pid'), 'utf8')), signal);
  }

  async end(): Promise<void> {
    await this.seen(/ended with \d+\r\n/);
    await this.#ended;
  }

  /** What a person has before them at the end: the output as a terminal lays it out that knows what we use and nothing else. */
  get screen(): readonly string[] {
    return layOut(this.output);
  }

  assertSane(): void {
    assert.equal(readFileSync(join(this.#folder, 'after'), 'utf8'), readFileSync(join(this.#folder, 'before'), 'utf8'));
    // eslint-disable-next-line no-control-regex
    const sequences = new Set(this.output.match(/\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007|.)/g));
    // eslint-disable-next-line no-control-regex
    for (const sequence of sequences) assert.match(sequence, /^\u001b\[(\d+A|0J|\d+(;\d+)*m)$/, JSON.stringify(sequence));
    // eslint-disable-next-line no-control-regex
    for (const line of this.output.split('\n')) assert.doesNotMatch(line, /\u001b\[(1|2|3\d)m(?!.*\u001b\[(22|39)m)/, 'a style goes on beyond its line');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#script.exitCode === null) process.kill(-(this.#script.pid as number), 'SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true });
  }
}

function layOut(output: string): string[] {
  const lines = [''];
  let row = 0;
  // eslint-disable-next-line no-control-regex
  for (const piece of output.match(/\u001b\[[0-9;]*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g) ?? []) {
    if (piece === '\n') {
      row += 1;
      lines[row] ??= '';
    } else if (piece.endsWith('A') && piece.startsWith('\u001b')) row = Math.max(0, row - Number(piece.slice(2, -1)));
    else if (piece === '\u001b[0J') lines.splice(row, lines.length, '');
    else if (!piece.startsWith('\u001b') && piece !== '\r') lines[row] += piece;
  }
  return lines;
}

describe('on a terminal', { concurrency: 1, skip: !hasScript && 'needs script' }, () => {
  test('a run shows what it does, waits for and last saw; Ctrl-C leaves the terminal as it was, and what had happened on it', async () => {
    await using run = new TerminalRun({ how: 'wait' });
    await run.shown(/ that stays\n[^]*● start the substrate {2}[\d.]+ s\n +have the k3s image {2}[\d.]+ s\n +waits for the Engine to pull rancher\/k3s \([\d.]+ s of at most 90 s\)\n +last seen [\d.]+ s ago: 1 of 3 layers, 5\.0 of 20\.0 MiB\n +○ cluster, database and images come up side by side/);
    run.kill('SIGINT');
    await run.end();
    run.assertSane();
    const text = run.screen.join('\n');
    assert.match(text, /SIGINT: stopping[\s\S]*✗ start the substrate[\s\S]*interrupted by SIGINT in step/);
    assert.doesNotMatch(text, /●|○/);
    assert.match(text, /ended with 130/);
  });

  test('a failure leaves the terminal as it was, and its first screen below what had happened', async () => {
    await using run = new TerminalRun({ how: 'fail' });
    await run.end();
    run.assertSane();
    const text = run.screen.join('\n');
    assert.match(text, /✗ start the substrate[\s\S]*\nfailed in step "start the substrate" \(after [\d.]+ s\)[\s\S]*cause {6}QL3_ENVIRONMENT: [\s\S]*waited for the Engine to pull[\s\S]*last seen {2}1 of 3 layers[\s\S]*check {6}npx ql3-evidence doctor/);
    assert.doesNotMatch(text, /●|○/);
    assert.match(text, /ended with 3/);
  });

  test('kill -9 leaves nothing that would have to be put back, and the shell on a line of its own', async () => {
    await using run = new TerminalRun({ how: 'wait' });
    await run.seen(/last seen/);
    run.kill('SIGKILL');
    await run.end();
    run.assertSane();
    assert.ok(run.screen.includes('ended with 137'), run.screen.join('\n'));
  });

  test('no line is wider than the terminal', async () => {
    await using run = new TerminalRun({ how: 'wait', columns: 40 });
    await run.seen(/last seen/);
    run.kill('SIGKILL');
    await run.end();
    for (const line of run.screen.filter((each) => /●|waits for|last seen/.test(each))) assert.ok(line.length < 40, line);
  });

  for (const environment of [{ NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }]) {
    test(`with ${JSON.stringify(environment)} there is a line for each step and no control sequence`, async () => {
      await using run = new TerminalRun({ how: 'fail', environment });
      await run.end();
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(run.output, /\u001b/);
      assert.match(run.output, /^ +\+[\d.]+ s {2}a line +that stays\r?$/m);
    });
  }
});
