import type { Activity } from './activity.ts';
import { Forecast } from './forecast.ts';
import { LiveList } from './live-list.ts';
import { PlainLines } from './plain-lines.ts';

/** Shows people how a run goes. */
export interface Presenter {
  /** A line that stays. */
  say(line: string): void;
  /** Takes away what changes; afterwards others may write. */
  end(): void;
}

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface PresenterOptions {
  readonly activity: Activity;
  readonly forecast?: Forecast;
  readonly screen?: Screen;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A live list on a terminal that takes one; a line for each step everywhere else. */
export function present({ activity, forecast = new Forecast([]), screen = process.stderr, environment = process.env }: PresenterOptions): Presenter {
  if (!isLive(screen, environment)) return new PlainLines({ activity, forecast, screen });
  return new LiveList({ activity, forecast, screen, isUnicode: isUnicode(environment) });
}

function isLive({ isTTY, columns = 0, rows = 0 }: Screen, { NO_COLOR, CI, TERM }: NodeJS.ProcessEnv): boolean {
  if (isTTY !== true || columns < 20 || rows < 5) return false;
  return !NO_COLOR && (!CI || CI === 'false') && TERM !== undefined && TERM !== 'dumb';
}

/** By the same variables and in the same order as the C library takes them. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
