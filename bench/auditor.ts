/**
 * How long the auditor takes for a report, as a multiple of what starting Node takes: the way the commands run it, from source with
 * and without compiled code that was kept, and as the package. Alternates all in one run. Prints medians and, since what else the
 * machine does only ever adds, the least of each; and the ratios of both.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAuditor } from '../harness/auditor-package/pack.ts';

const pathOf = (relative: string): string => new URL(relative, import.meta.url).pathname;
const REPORT = `--report=${pathOf('../evidence/fixtures/report-v2-release.json')}`;
const SOURCE = pathOf('../auditor/cli/main.ts');
const COMMAND = pathOf('../harness/cli/bootstrap.mjs');
const ROUNDS = 31;
const TARGET = 1.5;

const folder = mkdtempSync(join(tmpdir(), 'ql3-bench-'));
try {
  const { path: archive } = await packAuditor(folder);
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  const kept = { NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const ways = {
    /** `pnpm audit:…`, less pnpm. */
    command: () => timeMs([COMMAND, 'audit', REPORT]),
    sourceKept: () => timeMs([SOURCE, REPORT], kept),
    source: () => timeMs([SOURCE, REPORT], { NODE_DISABLE_COMPILE_CACHE: '1' }),
    packed: () => timeMs([join(folder, 'package', 'audit.js'), REPORT]),
  };
  const start = (): number => timeMs(['-e', '0']);
  for (const way of Object.values(ways)) way(); // the first keeps what it has compiled
  const samples = Array.from({ length: ROUNDS }, () => ({ start: start(), ...Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, way()])) })) as Record<string, number>[];
  const of = (name: string, pick: (all: readonly number[]) => number): number => pick(samples.map((sample) => sample[name] ?? Number.NaN));
  console.log(JSON.stringify({ rounds: ROUNDS, target: TARGET, nodeStartMs: round(of('start', median)), leastNodeStartMs: round(of('start', least)) }));
  for (const name of Object.keys(ways)) {
    console.log(JSON.stringify({ way: name, medianMs: round(of(name, median)), ratio: round(of(name, median) / of('start', median)), leastMs: round(of(name, least)), ratioOfLeast: round(of(name, least) / of('start', least)) }));
  }
} finally {
  rmSync(folder, { recursive: true });
}

function timeMs(args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const { NODE_COMPILE_CACHE: _kept, ...own } = process.env;
  const startedAt = performance.now();
  execFileSync(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...own, ...env } });
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
