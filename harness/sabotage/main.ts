#!/usr/bin/env node
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseObservations } from '../../evidence/read-observations.ts';
import { namesIn } from './catch.ts';
import { Judge } from './judge.ts';
import { textOf, type LogLie } from './log-lie.ts';
import { LOG_LIES } from './log-lies/all-log-lies.ts';
import { parseOptions, USAGE, UsageError, type Options } from './options.ts';
import { rehearseIn } from './rehearse-in.ts';
import { renderRow, renderSummary, type Row } from './table.ts';
import { tellLogLie } from './tell-log-lie.ts';
import { tellTreeLie } from './tell-tree-lie.ts';
import { TREE_LIES } from './tree-lies/all-tree-lies.ts';
import type { TreeLie } from './tree-lie.ts';
import { ROOT, Workshop } from './workshop.ts';
import { workThrough } from './worker-pool.ts';

const EXIT = { caught: 0, notCaught: 1, usage: 2 } as const;

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.help) {
    process.stderr.write(`${USAGE}\n`);
    return EXIT.caught;
  }
  const { treeLies, logLies } = chosen(options);
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort(new Error(`ended by ${signal}`)));
  using workshop = new Workshop();
  const rows: Row[] = [];
  const tell = (row: Row): void => {
    rows.push(row);
    process.stdout.write(`${renderRow(row)}\n`);
  };
  const suite = new Suite(options, workshop, abort.signal, tell);
  await suite.prepare(treeLies.length, logLies.length);
  await suite.tellLogLies(logLies);
  await suite.tellTreeLies(treeLies);
  process.stdout.write(`\n${renderSummary(rows)}\n`);
  return rows.every(({ verdict }) => verdict === null) ? EXIT.caught : EXIT.notCaught;
}

function chosen({ only, told }: Options): { readonly treeLies: readonly TreeLie[]; readonly logLies: readonly LogLie[] } {
  const unknown = only.find((name) => ![...TREE_LIES, ...LOG_LIES].some((lie) => lie.name === name));
  if (unknown !== undefined) throw new UsageError(`--only: there is no lie called ${unknown}`);
  const wanted = ({ name }: { readonly name: string }): boolean => only.length === 0 || only.includes(name);
  return { treeLies: told === 'log' ? [] : TREE_LIES.filter(wanted), logLies: told === 'tree' ? [] : LOG_LIES.filter(wanted) };
}

/** The honest tree that judges, the copies that lie, and the logs that are lied in. */
class Suite {
  readonly #options: Options;
  readonly #workshop: Workshop;
  readonly #signal: AbortSignal;
  readonly #tell: (row: Row) => void;
  #copies: readonly string[] = [];
  #judge: Judge | null = null;
  #logs: readonly string[] = [];

  constructor(options: Options, workshop: Workshop, signal: AbortSignal, tell: (row: Row) => void) {
    this.#options = options;
    this.#workshop = workshop;
    this.#signal = signal;
    this.#tell = tell;
  }

  async prepare(treeLies: number, logLies: number): Promise<void> {
    const { logs, jobs } = this.#options;
    const recordings = logLies > 0 && logs.length === 0 ? 2 : 0;
    const copies = Math.min(jobs, Math.max(treeLies, recordings));
    const names = Array.from({ length: copies }, (_, index) => `copy-${index + 1}`);
    this.#copies = await Promise.all(names.map((name) => this.#workshop.copyTree(name, this.#signal)));
    const honest = copies > 0 ? await this.#workshop.copyTree('honest', this.#signal) : ROOT;
    this.#judge = await Judge.of(honest);
    this.#logs = recordings > 0 ? await this.#record() : logs.map((path) => readFileSync(path, 'utf8'));
  }

  async #record(): Promise<readonly string[]> {
    process.stderr.write('recording two good runs\n');
    const recorded: string[] = [];
    await workThrough(['recorded-1', 'recorded-2'], this.#copies, async (name, tree) => {
      const { log, report, ending } = await rehearseIn(tree, name, [], this.#signal);
      if (log === null || report === null) throw new Error(`expected a good run to lie about, got: ${ending}`);
      this.#keep(name, log);
      recorded.push(log);
    });
    return recorded;
  }

  async tellLogLies(lies: readonly LogLie[]): Promise<void> {
    if (lies.length === 0) return;
    const [observations, another] = this.#logs.map((text) => parseObservations(text).observations);
    if (observations === undefined) throw new UsageError('--log: expected the log of a run');
    const judge = this.#judge as Judge;
    for (const lie of lies) {
      this.#signal.throwIfAborted();
      this.#tell(await tellLogLie(lie, { observations, another: another ?? observations }, (log, report) => namesIn(judge.findings(textOf(log), report))));
    }
  }

  async tellTreeLies(lies: readonly TreeLie[]): Promise<void> {
    await workThrough(lies, this.#copies, async (lie, tree) => {
      this.#tell(await tellTreeLie(lie, tree, this.#judge as Judge, this.#signal, (log) => this.#keep(lie.name, log)));
    });
  }

  #keep(name: string, log: string): void {
    const { keep } = this.#options;
    if (keep === null) return;
    mkdirSync(keep, { recursive: true, mode: 0o700 });
    writeFileSync(join(keep, `${name}.jsonl`), log, { mode: 0o600 });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${error instanceof UsageError ? `${USAGE}\n` : ''}`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.notCaught;
}
