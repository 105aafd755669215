import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { systemCode, WorkerError } from '../errors.ts';
import { createSynced, syncFolder, tightenMode } from '../files/durable-write.ts';
import { readIdentityPair, type IdentityPair } from './identity-pair.ts';

const NAME = /^generation-(\d{8})$/;
const INCOMING = '.incoming-';
const CERTIFICATE = 'tls.crt';
const PRIVATE_KEY = 'tls.key';
/** Keys that are out of use do not stay on the volume; a few remain for a process that is just ending. */
const GENERATIONS_KEPT = 3;
const LEFTOVER_AFTER_MS = 600_000;

export interface StoredIdentity {
  readonly generation: number;
  readonly pair: IdentityPair;
}

/**
 * Identities on the volume, one folder a generation, the highest being the current one. A folder appears complete, by one
 * rename, or not at all, and is never changed afterwards.
 */
export class IdentityStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The current identity, or null for an empty store. */
  async current(): Promise<StoredIdentity | null> {
    const generation = (await this.#generations()).at(-1);
    return generation === undefined ? null : await this.read(generation);
  }

  async read(generation: number): Promise<StoredIdentity> {
    const folder = this.#folder(generation);
    const pair = await readIdentityPair(join(folder, CERTIFICATE), join(folder, PRIVATE_KEY));
    return { generation, pair };
  }

  /** Stores the pair as a new generation unless the current one has the same fingerprint. */
  async install(pair: IdentityPair): Promise<{ identity: StoredIdentity; installed: boolean }> {
    await this.#tighten();
    for (;;) {
      const current = await this.current().catch((error: unknown) => {
        // An unreadable generation is superseded, not fatal: a sound identity is at hand.
        if (error instanceof WorkerError) return null;
        throw error;
      });
      if (current?.pair.fingerprint === pair.fingerprint) return { identity: current, installed: false };
      const generation = ((await this.#generations()).at(-1) ?? 0) + 1;
      if (await this.#create(generation, pair)) {
        await this.#prune(generation);
        return { identity: { generation, pair }, installed: true };
      }
    }
  }

  /** False when another process has made this generation first. */
  async #create(generation: number, pair: IdentityPair): Promise<boolean> {
    const incoming = join(this.#root, `${INCOMING}${randomBytes(8).toString('hex')}`);
    try {
      await mkdir(incoming, { mode: 0o700 });
      await chmod(incoming, 0o700);
      await createSynced(join(incoming, CERTIFICATE), pair.certificatePem, 0o400);
      await createSynced(join(incoming, PRIVATE_KEY), pair.privateKeyPem, 0o400);
      await syncFolder(incoming);
      await rename(incoming, this.#folder(generation));
      await syncFolder(this.#root);
      return true;
    } catch (error) {
      await rm(incoming, { recursive: true, force: true });
      if (['EEXIST', 'ENOTEMPTY'].includes(systemCode(error) ?? '')) return false;
      throw error;
    }
  }

  /** A kubelet that applies an fsGroup opens files to the group; the keys are ours, so we close them again. */
  async #tighten(): Promise<void> {
    for (const generation of await this.#generations()) {
      const folder = this.#folder(generation);
      for (const [path, mode] of [[folder, 0o700], [join(folder, CERTIFICATE), 0o400], [join(folder, PRIVATE_KEY), 0o400]] as const) {
        const stats = await lstat(path).catch(() => null);
        if (stats !== null && !stats.isSymbolicLink() && stats.uid === process.getuid?.()) await tightenMode(path, stats.mode, mode);
      }
    }
  }

  async #prune(current: number): Promise<void> {
    for (const generation of await this.#generations()) {
      if (generation <= current - GENERATIONS_KEPT) await rm(this.#folder(generation), { recursive: true, force: true });
    }
    for (const name of await readdir(this.#root)) {
      if (!name.startsWith(INCOMING)) continue;
      const stats = await lstat(join(this.#root, name)).catch(() => null);
      if (stats !== null && Date.now() - stats.mtimeMs > LEFTOVER_AFTER_MS) await rm(join(this.#root, name), { recursive: true, force: true });
    }
  }

  async #generations(): Promise<number[]> {
    const names = await readdir(this.#root);
    return names
      .map((name) => NAME.exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .map(Number)
      .sort((a, b) => a - b);
  }

  #folder(generation: number): string {
    return join(this.#root, `generation-${String(generation).padStart(8, '0')}`);
  }
}
