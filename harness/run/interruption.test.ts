import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const PROGRAM = `
import { Interruption } from ${JSON.stringify(new URL('interruption.ts', import.meta.url).href)};
const interruption = new Interruption(() => {});
const alive = setInterval(() => {}, 1000);
interruption.signal.addEventListener('abort', () => console.log('stop'));
interruption.hurry.addEventListener('abort', () => { console.log('hurry'); clearInterval(alive); interruption.dieBySignal(interruption.interruptedBy); });
console.log('ready');
`;

function start(): { child: ChildProcess; next: () => Promise<string>; exit: Promise<unknown[]> } {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, exit: once(child, 'exit'), next: async () => (await lines.next()).value as string };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} once stops, twice hurries, and the process ends by the signal that came first`, async () => {
    const { child, next, exit } = start();
    assert.equal(await next(), 'ready');
    child.kill(signal);
    assert.equal(await next(), 'stop');
    child.kill('SIGTERM');
    assert.equal(await next(), 'hurry');
    const [code, by] = (await exit) as [number | null, string | null];
    assert.deepEqual({ code, by }, { code: null, by: signal });
  });
}
