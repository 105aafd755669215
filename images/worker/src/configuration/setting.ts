import { isAbsolute, normalize } from 'node:path';

/** One environment variable: how its text is read, and what people are told about it. */
export interface Setting<T> {
  /** What a good value looks like, to follow "expected". */
  readonly expected: string;
  readonly meaning: string;
  /** For an absent or empty variable; a setting without one is required. */
  readonly fallback?: { readonly value: T; readonly text: string };
  /** The value, or undefined when the text is not acceptable. */
  read(text: string): T | undefined;
}

export interface SettingProblem {
  readonly name: string;
  readonly expected: string;
  readonly got: string;
}

export function readSetting<T>(environment: NodeJS.ProcessEnv, name: string, setting: Setting<T>, problems: SettingProblem[]): T | undefined {
  const text = environment[name] ?? '';
  if (text === '') {
    if (setting.fallback !== undefined) return setting.fallback.value;
    problems.push({ name, expected: setting.expected, got: 'nothing' });
    return undefined;
  }
  const value = setting.read(text);
  if (value === undefined) problems.push({ name, expected: setting.expected, got: describeText(text) });
  return value;
}

export function oneOf<const T extends string>(meaning: string, ...allowed: readonly T[]): Setting<T> {
  return { expected: allowed.join(' or '), meaning, read: (text) => allowed.find((value) => value === text) };
}

export function text(meaning: string, expected: string, accepts: (text: string) => boolean): Setting<string> {
  return { expected, meaning, read: (value) => (accepts(value) ? value : undefined) };
}

/** A canonical absolute path: what is printed in a message is then what is opened. */
export function path(meaning: string): Setting<string> {
  return text(meaning, 'an absolute path without . or .. or a slash at its end', isCanonicalPath);
}

export function optional<T>(setting: Setting<T>, fallbackText: string): Setting<T | null> {
  return { ...setting, fallback: { value: null, text: fallbackText } };
}

export function milliseconds(meaning: string, minimum: number, maximum: number, fallbackMs: number): Setting<number> {
  return {
    expected: `whole milliseconds from ${minimum} to ${maximum}`,
    meaning,
    fallback: { value: fallbackMs, text: String(fallbackMs) },
    read: (value) => (/^(0|[1-9]\d{0,9})$/.test(value) && Number(value) >= minimum && Number(value) <= maximum ? Number(value) : undefined),
  };
}

function isCanonicalPath(value: string): boolean {
  return value.length <= 4096 && !value.includes('\0') && isAbsolute(value) && normalize(value) === value && (value === '/' || !value.endsWith('/'));
}

/** Quotes only what is short and plain: a secret may have been put into the wrong variable. */
export function describeText(value: string): string {
  const plain = /^[\w./-]{1,32}$/.test(value) && !value.startsWith('ql3w_');
  return plain ? `"${value}"` : `${value.length} characters`;
}
