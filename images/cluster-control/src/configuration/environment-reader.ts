import type { VariableRow } from '../../../core/program-help.ts';
import type { Problem } from '../control-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables under one prefix and collects every problem instead of stopping at the first. */
export class EnvironmentReader {
  readonly problems: Problem[] = [];
  readonly #environment: Environment;
  readonly #prefix: string;
  readonly #table: readonly VariableRow[];
  readonly #known = new Set<string>();

  constructor(environment: Environment, prefix: string, table: readonly VariableRow[]) {
    this.#environment = environment;
    this.#prefix = prefix;
    this.#table = table;
  }

  /** Null when the variable is absent or empty. What is not in the table nobody could know of, so it is not read. */
  optional(name: string): string | null {
    if (!this.#table.some((row) => row.name === name)) throw new TypeError(`expected ${this.#prefix}${name} in the table of variables`);
    this.#known.add(this.#prefix + name);
    const value = this.#environment[this.#prefix + name];
    return value === undefined || value === '' ? null : value;
  }

  required(name: string, expected: string): string {
    const value = this.optional(name);
    if (value === null) this.refuse(name, `is missing; expected ${expected}`);
    return value ?? '';
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T | null): T {
    const value = this.optional(name) ?? fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) this.refuse(name, `expected ${allowed.join(' or ')}, got ${value === null ? 'nothing' : JSON.stringify(value)}`);
    return found ?? (allowed[0] as T);
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const text = this.optional(name);
    if (text === null) return fallback;
    const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    this.refuse(name, `expected an integer from ${minimum} to ${maximum}, got ${JSON.stringify(text.slice(0, 32))}`);
    return fallback;
  }

  refuse(name: string, problem: string): void {
    this.problems.push({ subject: this.#prefix + name, problem });
  }

  /** Kubernetes itself sets `<PREFIX>SERVICE_…` and `<PREFIX>PORT…` in Pods beside a Service of that name. */
  refuseUnknown(): void {
    for (const name of Object.keys(this.#environment)) {
      if (!name.startsWith(this.#prefix) || this.#known.has(name)) continue;
      if (/^(?:SERVICE_|PORT(?:_|$))/u.test(name.slice(this.#prefix.length))) continue;
      this.problems.push({ subject: name, problem: 'is not a known variable; remove it or correct its name' });
    }
  }
}
