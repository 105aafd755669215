/**
 * `node bench/fuzz-auditor.ts [--inputs=200000] [--seed=N] [--only=folder]`: the auditor under hostile input, and its figures. The heap is bounded, so
 * that the peak says what is needed and not what the collector leaves lying about. Exit code 1 when anything went wrong.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fuzz } from '../auditor/testing/fuzz/fuzz.ts';

const HEAP = ['--max-old-space-size=128', '--max-semi-space-size=4'];
const MOST_MEBIBYTES = 256;

if (process.execArgv.includes(HEAP[0] ?? '')) measure();
else process.exitCode = spawnSync(process.execPath, [...HEAP, ...process.argv.slice(1)], { stdio: 'inherit' }).status ?? 1;

function measure(): void {
  const { values } = parseArgs({ options: { inputs: { type: 'string', default: '200000' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } } });
  const startedAtMs = performance.now();
  const figures = fuzz({ seed: Number(values.seed), inputs: Number(values.inputs), only: values.only });
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  console.log(JSON.stringify({ ...figures, seconds, bounds: { slowestMs: 1000, peakMebibytes: MOST_MEBIBYTES } }, null, 2));
  process.exitCode = figures.failures.length === 0 && figures.peakMebibytes <= MOST_MEBIBYTES ? 0 : 1;
}
