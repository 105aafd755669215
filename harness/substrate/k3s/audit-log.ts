import type Docker from 'dockerode';
import { HarnessError } from '../../run/errors.ts';
import { execInContainer } from './container-exec.ts';

/** A log in a container that only grows: what was read of it once is not read again. */
export class AuditLog {
  readonly #container: Docker.Container;
  readonly #path: string;
  #read = Buffer.alloc(0);
  #reading: Promise<unknown> = Promise.resolve();

  constructor(container: Docker.Container, path: string) {
    this.#container = container;
    this.#path = path;
  }

  /** All whole lines until now: the last one may still be being written. */
  async read(signal: AbortSignal): Promise<string> {
    const reading = this.#reading.then(() => this.#readOn(signal));
    this.#reading = reading.catch(() => undefined); // told to who asked; the next one reads on from where it came to
    await reading;
    return this.#read.subarray(0, this.#read.lastIndexOf(0x0a) + 1).toString();
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const { exitCode, stdout, stderr } = await execInContainer(this.#container, ['tail', '-c', `+${this.#read.length + 1}`, this.#path], { signal });
    if (exitCode !== 0) throw new HarnessError('QL3_CLUSTER_ANSWER', `expected ${this.#path} to be read in the cluster’s container, got exit code ${exitCode}: ${stderr.trim()}`);
    this.#read = Buffer.concat([this.#read, stdout]);
  }
}
