import { ControlError } from '../control-error.ts';
import type { EventLog } from '../events/event-log.ts';
import { loadTrustMaterial, type TrustFiles, type TrustMaterial } from './trust-material.ts';

/**
 * Reloads trust material one at a time. A request that arrives during a reload causes one more afterwards, because
 * the files may have changed after they were read.
 */
export class TrustReload {
  readonly #files: TrustFiles;
  readonly #apply: (material: TrustMaterial) => void;
  readonly #log: EventLog;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(files: TrustFiles, apply: (material: TrustMaterial) => void, log: EventLog) {
    this.#files = files;
    this.#apply = apply;
    this.#log = log;
  }

  request(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#untilSettled().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #untilSettled(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#reload();
    }
  }

  async #reload(): Promise<void> {
    try {
      const material = await loadTrustMaterial(this.#files);
      this.#apply(material);
      this.#log.info('trust_reloaded', material.summary);
    } catch (error) {
      const known = error instanceof ControlError ? { code: error.code, problems: error.problems } : { code: null, problems: [] };
      this.#log.error('trust_reload_failed', { ...known, kept: 'the material in force stays in force' });
    }
  }
}
