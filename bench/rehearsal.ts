/**
 * Runs one rehearsal and prints where its time went, and how much memory its processes held together at the most.
 * The floor is what the contract itself waits for: three heartbeat intervals of five seconds.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLOOR_MS = 15_000;
const SAMPLE_MS = 200;
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const startedAt = performance.now();
const child = spawn(process.execPath, [new URL('../harness/cli/main.ts', import.meta.url).pathname, 'rehearse', `--report=${join(folder, 'report.json')}`], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
let talk = '';
child.stderr.on('data', (chunk: Buffer) => (talk += chunk.toString()));
child.stdout.resume();
let peakKib = 0;
const sampler = setInterval(() => (peakKib = Math.max(peakKib, residentKib(child.pid as number))), SAMPLE_MS);
const [code] = (await once(child, 'exit')) as [number | null];
clearInterval(sampler);
const wallMs = performance.now() - startedAt;
const unaccounted = Number(/, idle [0-9.]+ s \(([0-9.]+) %\)/.exec(talk)?.[1] ?? Number.NaN);
console.log(talk.slice(talk.indexOf('\ntime:')));
console.log(JSON.stringify({ exitCode: code, wallSeconds: Math.round(wallMs / 100) / 10, timesTheFloor: Math.round((wallMs / FLOOR_MS) * 100) / 100, unaccountedPercent: unaccounted, peakMebibytes: Math.round(peakKib / 1024), targets: { wallSeconds: 60, unaccountedPercent: 5, peakMebibytes: 1024 } }));

/** Proportional set size of the process and all below it: pages that processes share are counted once. */
function residentKib(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    const stat = readIfThere(`/proc/${name}/stat`);
    if (stat !== null) parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const family = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (family.has(parent) && !family.has(pid)) {
        family.add(pid);
        grown = true;
      }
    }
  }
  let total = 0;
  for (const pid of family) total += Number(/^Pss:\s+(\d+)/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0);
  return total;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
