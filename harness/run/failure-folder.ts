import { createHash } from 'node:crypto';
import { chmodSync, constants, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FailureFileKind, FailureIndex } from '../../evidence/failure-index.ts';
import { withoutSecrets } from './without-secrets.ts';

/** What a substrate puts into the folder itself, by name. */
const OF_SUBSTRATE: Readonly<Record<string, { readonly kind: FailureFileKind; readonly of: string }>> = {
  'k3s.log': { kind: 'cluster-log', of: 'K3s' },
  'embedded-cluster.log': { kind: 'cluster-log', of: 'the embedded cluster' },
  'postgres.log': { kind: 'database-log', of: 'PostgreSQL' },
  'audit.jsonl': { kind: 'audit-log', of: 'the API server' },
  kubeconfig: { kind: 'kubeconfig', of: 'the cluster that was kept' },
};

export type FailureFile = FailureIndex['files'][number];

/** The private folder (0700, files 0600) in which a failure leaves what explains it. No line that looks like a secret comes into it. */
export class FailureFolder {
  readonly path: string;
  readonly #known = new Map<string, { readonly kind: FailureFileKind; readonly of: string }>(Object.entries(OF_SUBSTRATE));
  readonly #missing: { what: string; why: string }[] = [];

  /** The folder must not exist. */
  constructor(path: string) {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
    this.path = path;
  }

  save(name: string, kind: FailureFileKind, of: string, text: string): void {
    this.#known.set(name, { kind, of });
    writeFileSync(join(this.path, name), withoutSecrets(text), { mode: 0o600, flag: 'wx' });
  }

  /** A file whose writer has refused secrets already. */
  copy(name: string, kind: FailureFileKind, of: string, from: string): void {
    this.#known.set(name, { kind, of });
    copyFileSync(from, join(this.path, name), constants.COPYFILE_EXCL);
    chmodSync(join(this.path, name), 0o600);
  }

  miss(what: string, why: string): void {
    this.#missing.push({ what, why });
  }

  /** What could not be had; the same reason for many things is told once. */
  get missing(): FailureIndex['missing'] {
    const byReason = Map.groupBy(this.#missing, ({ why }) => why);
    return [...byReason].map(([why, things]) => ({ what: [...new Set(things.map(({ what }) => what))].join(', '), why }));
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  /** Everything in the folder, also what others have put there: that is rid of secrets first. */
  files(): readonly FailureFile[] {
    return readdirSync(this.path)
      .sort()
      .filter((name) => lstatSync(join(this.path, name)).isFile())
      .flatMap((name) => {
        const known = this.#known.get(name);
        if (known === undefined) return [];
        if (name in OF_SUBSTRATE && known.kind !== 'kubeconfig') this.#clean(name);
        const content = readFileSync(join(this.path, name));
        return [{ path: name, ...known, sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }];
      });
  }

  #clean(name: string): void {
    const text = this.read(name);
    const cleaned = withoutSecrets(text);
    if (cleaned !== text) writeFileSync(join(this.path, name), cleaned, { mode: 0o600 });
  }
}
