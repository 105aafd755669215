import { instantMs } from '../../../evidence/instants.ts';
import type { Observation, StepId } from '../../../evidence/observation.ts';
import { STEP_WORDS } from '../../../evidence/step-words.ts';
import type { StepSpan } from './mark.ts';

/** Tells the time of a run: milliseconds since its log was opened, by the wall clock that all witnesses read. */
export class RunClock {
  readonly #openedMs: number;
  readonly steps: readonly StepSpan[];
  readonly endMs: number;

  constructor(observations: readonly Observation[]) {
    const [first, last] = [observations[0], observations.at(-1)];
    this.#openedMs = instantMs(first?.at) - (first?.offsetMs ?? 0);
    this.endMs = last === undefined ? 0 : this.since(instantMs(last.at));
    this.steps = stepsOf(observations, (at) => this.since(instantMs(at)));
  }

  since(wallMs: number): number {
    return wallMs - this.#openedMs;
  }

  at(text: unknown): number {
    return this.since(instantMs(text));
  }

  /** The step that an instant lies in: of two that overlap, the one that began last. */
  stepAt(ms: number): StepSpan | null {
    return this.steps.findLast(({ fromMs }) => fromMs <= ms) ?? null;
  }

  /** When what an observation tells of happened, by its witness. */
  of({ at, kind, body }: Observation): number {
    switch (kind) {
      case 'api.audit':
        return this.at(body.receivedAt);
      case 'probe.result':
      case 'action.token-session':
      case 'action.recovery-session':
        return this.at(body.startedAt);
      case 'container.exited':
        return this.at(body.exitedAt);
      case 'ingress.line':
      case 'process.line':
        return body.line['at'] === undefined ? this.at(at) : this.at(body.line['at']);
      default:
        return this.at(at);
    }
  }
}

function stepsOf(observations: readonly Observation[], since: (at: string) => number): StepSpan[] {
  const steps = new Map<StepId, StepSpan>();
  for (const { kind, at, body } of observations) {
    if (kind !== 'run.step') continue;
    const words = STEP_WORDS[body.step];
    const known = steps.get(body.step);
    if (body.state === 'started') steps.set(body.step, { step: body.step, ...words, fromMs: since(at), toMs: Number.POSITIVE_INFINITY });
    else if (known !== undefined) steps.set(body.step, { ...known, toMs: since(at) });
  }
  return [...steps.values()].sort((left, right) => left.fromMs - right.fromMs);
}

/** `+36.884 s` */
export function tellTime(ms: number): string {
  return Number.isFinite(ms) ? `+${(ms / 1000).toFixed(3)} s` : 'at an unknown time';
}
