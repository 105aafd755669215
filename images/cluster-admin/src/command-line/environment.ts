import { isAbsolute } from 'node:path';
import type { VariableRow } from '../../../core/program-help.ts';
import { readGuardedFile, SECRET_FILE } from './guarded-file.ts';
import { UsageError } from './usage-error.ts';

const MAX_VALUE_BYTES = 4096;

/**
 * Reads variables with one prefix and remembers everything that is wrong with
 * them. A value that could not be read is given as an empty string; `finish`
 * throws before anybody can use it.
 */
export class EnvironmentReader {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #prefix: string;
  readonly #table: readonly VariableRow[];
  readonly #issues: string[];

  constructor(environment: Readonly<Record<string, string | undefined>>, prefix: string, table: readonly VariableRow[], issues: string[] = []) {
    this.#environment = environment;
    this.#prefix = prefix;
    this.#table = table;
    this.#issues = issues;
  }

  /** The same collection of issues under another prefix. */
  under(prefix: string, table: readonly VariableRow[]): EnvironmentReader {
    return new EnvironmentReader(this.#environment, prefix, table, this.#issues);
  }

  /** What is not in the table nobody could know of, so it is not read. */
  optional(name: string): string | null {
    if (!this.#table.some((row) => row.name === name)) throw new TypeError(`expected ${this.#prefix}${name} in the table of variables`);
    const value = this.#environment[this.#prefix + name];
    return value === undefined || value === '' ? null : value;
  }

  required(name: string): string {
    return this.optional(name) ?? this.reject(name, 'expected a value, got none');
  }

  /** An absolute path; relative ones would mean something else in another folder. */
  path(name: string): string {
    const value = this.required(name);
    return value === '' || isAbsolute(value) ? value : this.reject(name, 'expected an absolute path');
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const value = this.optional(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    this.reject(name, `expected an integer from ${minimum} to ${maximum}`);
    return fallback;
  }

  /** NAME, or the content of the file that NAME_FILE names; never both. */
  secret(name: string): string | null {
    const inline = this.optional(name);
    const file = this.optional(`${name}_FILE`);
    if (inline !== null && file !== null) return this.reject(name, `expected either it or ${this.#prefix}${name}_FILE, got both`);
    if (file === null) return inline;
    if (!isAbsolute(file)) return this.reject(`${name}_FILE`, 'expected an absolute path');
    try {
      const content = readGuardedFile(file, { maxBytes: MAX_VALUE_BYTES, forbiddenMode: SECRET_FILE });
      const text = content.toString('utf8').replace(/\n$/, '');
      content.fill(0);
      return text === '' ? this.reject(`${name}_FILE`, 'expected a value in the file, it is empty') : text;
    } catch (error) {
      return this.reject(`${name}_FILE`, (error as Error).message);
    }
  }

  reject(name: string, problem: string): '' {
    this.#issues.push(`${this.#prefix}${name}: ${problem}`);
    return '';
  }

  finish(): void {
    if (this.#issues.length > 0) throw new UsageError(this.#issues);
  }
}
