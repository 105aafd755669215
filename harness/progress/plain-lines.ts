import { inSeconds } from './in-seconds.ts';
import type { Activity } from './activity.ts';
import type { Forecast } from './forecast.ts';
import type { Presenter, Screen } from './presenter.ts';
import { showable } from './showable.ts';

/** After so long without a line, one says what is being waited for. */
const SILENCE_MS = 30_000;

/** A line for each step when it begins, with the time since the run began; for logs, pipes and whoever wants no colours. */
export class PlainLines implements Presenter {
  readonly #activity: Activity;
  readonly #screen: Screen;
  readonly #silence: NodeJS.Timeout;

  constructor({ activity, forecast, screen, silenceMs = SILENCE_MS }: { readonly activity: Activity; readonly forecast: Forecast; readonly screen: Screen; readonly silenceMs?: number }) {
    this.#activity = activity;
    this.#screen = screen;
    this.#silence = setInterval(() => this.#tellWaits(), silenceMs).unref();
    if (forecast.totalMs !== null) this.say(`about ${inSeconds(forecast.totalMs, 0)}, as earlier runs here took`);
  }

  say(line: string): void {
    this.#silence.refresh();
    this.#screen.write(`${inSeconds(this.#activity.elapsedMs).padStart(8)}  ${showable(line)}\n`);
  }

  end(): void {
    clearInterval(this.#silence);
  }

  #tellWaits(): void {
    for (const { expected, waitedMs, lastSeen } of this.#activity.waits) {
      const seen = lastSeen === null ? 'nothing seen yet' : `last seen: ${lastSeen.text}`;
      this.say(`waits for ${expected} (for ${inSeconds(waitedMs, 0)}); ${seen}`);
    }
  }
}
