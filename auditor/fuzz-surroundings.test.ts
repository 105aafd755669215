import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const FUZZ = new URL('../bench/fuzz-auditor.ts', import.meta.url).pathname;
const INPUTS = 400;
/** Where links of hostile bundles lead to. Others use these places too: what may change by itself is not asked for. */
const FAR_PLACES = ['/', '/etc', '/etc/passwd', '/dev', '/dev/zero'];

/** Kind, mode, owner and, of what belongs to nobody else, content and times of everything below. */
function stateOf(path: string, skip: (name: string) => boolean = () => false): string[] {
  const { mode, uid, gid, nlink, size, mtimeMs, ctimeMs } = lstatSync(path);
  const link = lstatSync(path).isSymbolicLink();
  const folder = lstatSync(path).isDirectory();
  const content = folder ? '' : link ? readlinkSync(path) : readFileSync(path, 'hex');
  const own = [path, mode.toString(8), uid, gid, ...(folder ? [] : [nlink, size, mtimeMs]), ...(skip('') ? [] : [ctimeMs]), content].join(' ');
  return [own, ...(folder ? readdirSync(path).filter((name) => !skip(name)).sort().flatMap((name) => stateOf(join(path, name))) : [])];
}

function farState(): string[] {
  return FAR_PLACES.map((path) => `${path} ${lstatSync(path).mode.toString(8)} ${lstatSync(path).uid} ${lstatSync(path).gid}`);
}

test('the fuzzer changes nothing outside its own folder, links that lead out included', () => {
  const surroundings = mkdtempSync(join(tmpdir(), 'ql3-surroundings-'));
  try {
    const temporary = join(surroundings, 'temporary');
    for (const [name, mode] of [['temporary', 0o700], ['closed', 0o500], ['open', 0o755], ['api', 0o750]] as const) {
      mkdirSync(join(surroundings, name));
      writeFileSync(join(surroundings, name, 'neighbour'), name, { mode: 0o640 });
      chmodSync(join(surroundings, name), mode);
    }
    for (const name of ['x', 'report.json', 'manifest.json']) writeFileSync(join(surroundings, name), 'not yours');
    symlinkSync('open', join(surroundings, 'link'));
    // its own folder comes and goes in this one, so of this one the mode alone must stay
    const skipOwn = (name: string): boolean => name === '' || name.startsWith('ql3-fuzz-');
    const state = (): string[] => [...stateOf(temporary, skipOwn), ...readdirSync(surroundings).filter((name) => name !== 'temporary').sort().flatMap((name) => stateOf(join(surroundings, name))), ...farState()];
    const before = state();
    const { status, stdout, stderr } = spawnSync(process.execPath, [FUZZ, `--inputs=${INPUTS}`, '--seed=4', '--only=folder'], { encoding: 'utf8', cwd: surroundings, env: { ...process.env, TMPDIR: temporary } });
    assert.equal(status, 0, stderr + stdout);
    const { folder } = (JSON.parse(stdout) as { targets: Readonly<Record<string, { inputs: number }>> }).targets;
    assert.ok(folder?.inputs === INPUTS, stdout);
    assert.deepEqual(state(), before);
  } finally {
    rmSync(surroundings, { recursive: true, force: true });
  }
});
