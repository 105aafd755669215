import { inSeconds } from './in-seconds.ts';
import type { Activity } from './activity.ts';
import type { Forecast } from './forecast.ts';
import type { Presenter, Screen } from './presenter.ts';
import { showable } from './showable.ts';

/** After so long without a line, one says what is being waited for. */
const SILENCE_MS = 30_000;

const [TIME_TITLE, TIME_WIDTH] = ['start', 9];

/** A line for each step when it begins, with the time since the run began; for logs, pipes and whoever wants no colours. */
export class PlainLines implements Presenter {
  readonly #activity: Activity;
  readonly #screen: Screen;
  readonly #silence: NodeJS.Timeout;

  constructor({ activity, forecast, screen, silenceMs = SILENCE_MS }: { readonly activity: Activity; readonly forecast: Forecast; readonly screen: Screen; readonly silenceMs?: number }) {
    this.#activity = activity;
    this.#screen = screen;
    this.#silence = setInterval(() => this.#tellWaits(), silenceMs).unref();
    this.#write(`${TIME_TITLE.padStart(TIME_WIDTH)}  what begins then`);
    if (forecast.totalMs !== null) this.say(`about ${inSeconds(forecast.totalMs, 0)}, as ${forecast.basis}`);
  }

  say(line: string): void {
    this.#silence.refresh();
    this.#write(`${`+${inSeconds(this.#activity.elapsedMs)}`.padStart(TIME_WIDTH)}  ${showable(line)}`);
  }

  #write(line: string): void {
    this.#screen.write(`${line}\n`);
  }

  end(): void {
    clearInterval(this.#silence);
  }

  #tellWaits(): void {
    const { waits } = this.#activity;
    // who waits for the work of another sees nothing of it, and must not say so beside the other, who has
    const unseen = waits.some(({ lastSeen }) => lastSeen !== null) ? '' : '; nothing seen yet';
    for (const { expected, waitedMs, lastSeen } of waits) {
      this.say(`waits for ${expected} (for ${inSeconds(waitedMs, 0)})${lastSeen === null ? unseen : `; last seen: ${lastSeen.text}`}`);
    }
  }
}
