import type { FileHandle } from 'node:fs/promises';

import { systemCode, WorkerError } from '../errors.ts';
import { encodeRecord, type JournalEntry } from './journal-record.ts';

export interface JournalPosition {
  readonly link: string;
  readonly sequence: number;
  readonly sizeBytes: number;
}

/**
 * The open journal of the one owner of the volume. `append` returns when the record is on the disk. After a failed write the
 * file is cut back to its last sound record and may be tried again; after a failed sync it may not, since the kernel has
 * dropped what it could not write and a second sync would wrongly succeed.
 */
export class Journal {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #assertOwned: () => Promise<void>;
  #position: JournalPosition;
  #unusable: unknown = null;

  constructor(path: string, file: FileHandle, position: JournalPosition, assertOwned: () => Promise<void>) {
    this.path = path;
    this.#file = file;
    this.#position = position;
    this.#assertOwned = assertOwned;
  }

  get sizeBytes(): number {
    return this.#position.sizeBytes;
  }

  async append(entry: JournalEntry): Promise<void> {
    if (this.#unusable !== null) throw this.#unavailable('an earlier write could not be completed', this.#unusable);
    // A process that was stopped for a while may have lost the volume without noticing.
    await this.#assertOwned();
    const { link, sequence, sizeBytes } = this.#position;
    const record = encodeRecord({ sequence, atMs: Date.now(), ...entry }, link);
    await this.#write(record.bytes);
    await this.#sync();
    this.#position = { link: record.link, sequence: sequence + 1, sizeBytes: sizeBytes + record.bytes.length };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    try {
      await this.#file.appendFile(bytes);
    } catch (cause) {
      await this.#file.truncate(this.#position.sizeBytes).catch(() => {
        this.#unusable = cause;
      });
      throw this.#unavailable('a record could not be written', cause);
    }
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.datasync();
    } catch (cause) {
      this.#unusable = cause;
      throw this.#unavailable('a record could not be synced', cause);
    }
  }

  #unavailable(problem: string, cause: unknown): WorkerError {
    const reason = systemCode(cause);
    return new WorkerError('WORKER_JOURNAL_UNAVAILABLE', `the journal at ${this.path}: ${problem} (${reason ?? 'unknown'}); check the volume's space and health`, {
      cause,
      // `final` says that trying again on this open journal cannot help.
      facts: { path: this.path, reason, final: this.#unusable !== null },
    });
  }
}
