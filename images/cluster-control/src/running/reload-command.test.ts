import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

const CONTROL = new URL('../control.ts', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ql3-control-reload-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function reload(pidFile: string | undefined): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [CONTROL, 'reload'], { env: pidFile === undefined ? {} : { QL3_CLUSTER_CONTROL_PID_FILE: pidFile }, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

describe('control.mjs reload', () => {
  it('sends SIGHUP to the process that left its pid', async () => {
    const target = spawn(process.execPath, ['-e', "process.on('SIGHUP', () => { console.log('reloaded'); process.exit(0); }); setInterval(() => {}, 1000); console.log('ready');"], { stdio: ['ignore', 'pipe', 'inherit'] });
    const heard: string[] = [];
    target.stdout.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    await once(target.stdout, 'data');
    const pidFile = join(folder, 'control.pid');
    writeFileSync(pidFile, `${target.pid}\n`);
    const [{ code }] = await Promise.all([reload(pidFile), once(target, 'close')]);
    assert.equal(code, 0);
    assert.match(heard.join(''), /reloaded/u);
  });

  it('says what is missing, and signals nobody', async () => {
    assert.deepEqual((await reload(undefined)).code, 64);
    const missing = await reload(join(folder, 'none.pid'));
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /QL3_CLUSTER_CONTROL_PID_FILE/u);
    const damaged = join(folder, 'damaged.pid');
    writeFileSync(damaged, '-1\n');
    assert.equal((await reload(damaged)).code, 1);
  });
});
