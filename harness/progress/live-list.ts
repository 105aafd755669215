import { styleText } from 'node:util';
import { STEP_IDS } from '../../evidence/observation.ts';
import { STEPS, type StepPhase } from '../contract/step-catalogue.ts';
import type { Activity, Task } from './activity.ts';
import { displayWidth, fit } from './display-width.ts';
import type { Forecast } from './forecast.ts';
import { inSeconds } from './in-seconds.ts';
import { liveRows, type Row } from './live-rows.ts';
import type { Presenter, Screen } from './presenter.ts';
import { showable } from './showable.ts';
import { phaseOf, PHASE_TITLES, stepIdOf, titleOf } from './task-titles.ts';

const TICK_MS = 1_000;
/** Changes that come faster than this are drawn together. */
const FRAME_MS = 80;
/** A part of the start that took longer than this was worth the wait, and is told when it is done. */
const TOLD_FROM_MS = 500;

const SENTENCES: ReadonlySet<string> = new Set(STEP_IDS.map((id) => STEPS[id].sentence));
const SYMBOLS = { unicode: { done: '✓', failed: '✗', running: '●', pending: '○' }, ascii: { done: '+', failed: 'x', running: '*', pending: '-' } } as const;
const STYLES = { running: 'bold', pending: 'dim', detail: 'dim', total: 'dim' } as const;

/**
 * The steps of a run on a terminal: those that have ended stay as lines, below them what goes on is drawn anew as it changes.
 *
 * A program can be killed at any moment, and then puts nothing back. So nothing is changed here that would have to be put
 * back: no raw mode, no other screen, no hidden cursor; each line ends with its style taken off, and the cursor rests at the
 * start of the line below the list, where a shell would go on.
 */
export class LiveList implements Presenter {
  readonly #activity: Activity;
  readonly #forecast: Forecast;
  readonly #screen: Screen;
  readonly #symbols: (typeof SYMBOLS)['unicode' | 'ascii'];
  readonly #told = new Set<Task>();
  readonly #tick: NodeJS.Timeout;
  readonly #stopListening: () => void;
  readonly #onExit = (): void => this.end();
  #frame: NodeJS.Timeout | null = null;
  /** Widths of the lines that are drawn below what stays. */
  #drawn: readonly number[] = [];
  #phase: StepPhase | null = null;
  #hasEnded = false;

  constructor({ activity, forecast, screen, isUnicode }: { readonly activity: Activity; readonly forecast: Forecast; readonly screen: Screen; readonly isUnicode: boolean }) {
    this.#activity = activity;
    this.#forecast = forecast;
    this.#screen = screen;
    this.#symbols = SYMBOLS[isUnicode ? 'unicode' : 'ascii'];
    this.#stopListening = activity.onChange(() => this.#drawSoon());
    this.#tick = setInterval(() => this.#draw([]), TICK_MS).unref();
    process.on('exit', this.#onExit);
  }

  /** Steps are told by the list itself. */
  say(line: string): void {
    if (!SENTENCES.has(line)) this.#draw([showable(line)]);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopListening();
    process.off('exit', this.#onExit);
    clearInterval(this.#tick);
    if (this.#frame !== null) clearTimeout(this.#frame);
    this.#screen.write(`${this.#erase()}${this.#newlyTold().map((line) => `${line}\n`).join('')}`);
    this.#drawn = [];
  }

  #drawSoon(): void {
    this.#frame ??= setTimeout(() => {
      this.#frame = null;
      this.#draw([]);
    }, FRAME_MS).unref();
  }

  /** In one write, so that nobody sees half of it. */
  #draw(said: readonly string[]): void {
    if (this.#hasEnded) return;
    const { columns = 80, rows = 24 } = this.#screen;
    const lasting = [...this.#newlyTold(), ...said];
    // the last column stays free: some terminals wrap when it is written to
    const live = this.#fitting(liveRows(this.#activity, this.#forecast), rows - 1).map((row) => ({ text: fit(this.#textOf(row), columns - 1), style: STYLES[row.state] }));
    const text = [...lasting, ...live.map(({ text: line, style }) => styled(style, line))].map((line) => `${line}\n`).join('');
    const erase = this.#erase();
    this.#drawn = live.map(({ text: line }) => displayWidth(line));
    this.#screen.write(`${erase}${text}`);
  }

  /** Moves to where the live part begins, also when the terminal has become narrower and wrapped it, and clears from there. */
  #erase(): string {
    const { columns = 80 } = this.#screen;
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows === 0 ? '' : `\u001b[${rows}A\r\u001b[0J`;
  }

  /** What goes on is told before what is still to come; the total always. */
  #fitting(rows: readonly Row[], height: number): readonly Row[] {
    if (rows.length <= height) return rows;
    const total = rows.slice(-1);
    const active = rows.filter(({ state }) => state === 'running' || state === 'detail');
    return [...active.slice(0, height - 1), ...total];
  }

  /** Lines that stay: phases that have begun, steps and parts of the start that have ended. */
  #newlyTold(): string[] {
    const lines: string[] = [];
    for (const task of this.#activity.tasks) {
      const phase = phaseOf(task);
      if (phase !== null && phase !== this.#phase && !this.#told.has(task)) {
        this.#phase = phase;
        lines.push(styled('bold', PHASE_TITLES[phase]));
      }
      if (task.endedMs === null || this.#told.has(task)) continue;
      this.#told.add(task);
      const ms = task.endedMs - task.startedMs;
      if (isTold(task, ms)) lines.push(this.#endOf(task, ms));
    }
    return lines;
  }

  #endOf(task: Task, ms: number): string {
    const symbol = task.hasFailed ? styled('red', this.#symbols.failed) : styled('green', this.#symbols.done);
    return `  ${symbol} ${showable(titleOf(task))}  ${styled('dim', inSeconds(ms))}`;
  }

  #textOf({ state, text }: Row): string {
    const symbol = state === 'running' || state === 'pending' ? `${this.#symbols[state]} ` : state === 'detail' ? '    ' : '';
    return `  ${symbol}${showable(text)}`;
  }
}

/** Steps, and what goes on outside of them; the parts of a step are told while they last. */
function isTold(task: Task, ms: number): boolean {
  if (stepIdOf(task) !== null || task.hasFailed) return true;
  return ms >= TOLD_FROM_MS && (task.parent === null || (stepIdOf(task.parent) === null && task.parent.parent === null));
}

function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}
