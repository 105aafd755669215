import { closeSync, openSync, writeSync } from 'node:fs';
import type { AuditEvent } from './audit-event.ts';
import type { AuditPolicy } from './audit-policy.ts';

/** The append-only file of the audit events that its policy wants, one JSON object a line. A line is in the file before the answer leaves. */
export class AuditLog {
  readonly path: string;
  readonly policy: AuditPolicy;
  #descriptor: number | null;

  constructor(path: string, policy: AuditPolicy) {
    this.path = path;
    this.policy = policy;
    this.#descriptor = openSync(path, 'a', 0o600);
  }

  append(event: AuditEvent): void {
    if (this.#descriptor !== null) writeSync(this.#descriptor, `${JSON.stringify(event)}\n`);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
