/**
 * JSON (RFC 8259) without the benefit of the doubt: what is written twice, cannot be represented, or would reach into an
 * object's prototype is refused, where `JSON.parse` keeps the last key and rounds the number.
 */
export type StrictJsonCode = 'SYNTAX' | 'DUPLICATE_KEY' | 'PROTOTYPE_KEY' | 'UNSAFE_NUMBER' | 'TOO_DEEP' | 'LONE_SURROGATE';
export type StrictJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly code: StrictJsonCode; readonly message: string };

const MAXIMUM_DEPTH = 32;
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

class Refusal extends Error {
  readonly code: StrictJsonCode;
  constructor(code: StrictJsonCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function parseStrictJson(text: string): StrictJson {
  try {
    return { ok: true, value: new Parser(text).document() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, code: error.code, message: error.message };
    throw error;
  }
}

/** Recursive descent with a bound on its depth; it looks at every character once. */
class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#syntax('the end of the text');
    return value;
  }

  #value(depth: number): unknown {
    if (depth > MAXIMUM_DEPTH) throw new Refusal('TOO_DEEP', `position ${this.#at}: expected at most ${MAXIMUM_DEPTH} levels of nesting`);
    this.#space();
    const character = this.#text[this.#at];
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    if (character === '"') return this.#string();
    if (character === 't') return this.#word('true', true);
    if (character === 'f') return this.#word('false', false);
    if (character === 'n') return this.#word('null', null);
    return this.#number();
  }

  #object(depth: number): Record<string, unknown> {
    this.#at += 1;
    const object: Record<string, unknown> = {};
    if (this.#takes('}')) return object;
    do {
      this.#space();
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#syntax('a key');
      const key = this.#string();
      if (PROTOTYPE_KEYS.has(key)) throw new Refusal('PROTOTYPE_KEY', `position ${at}: the key ${key} is not allowed`);
      if (Object.hasOwn(object, key)) throw new Refusal('DUPLICATE_KEY', `position ${at}: a key of ${key.length} characters is written twice`);
      if (!this.#takes(':')) throw this.#syntax("':'");
      object[key] = this.#value(depth + 1);
    } while (this.#takes(','));
    if (!this.#takes('}')) throw this.#syntax("',' or '}'");
    return object;
  }

  #array(depth: number): unknown[] {
    this.#at += 1;
    const array: unknown[] = [];
    if (this.#takes(']')) return array;
    do array.push(this.#value(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(']')) throw this.#syntax("',' or ']'");
    return array;
  }

  #string(): string {
    const from = this.#at;
    STRING.lastIndex = from;
    const match = STRING.exec(this.#text);
    if (match === null) throw this.#syntax('a string without control characters and with known escapes');
    this.#at = STRING.lastIndex;
    const value = JSON.parse(match[0]) as string;
    if (LONE_SURROGATE.test(value)) throw new Refusal('LONE_SURROGATE', `position ${from}: expected well-formed Unicode, got half of a surrogate pair`);
    return value;
  }

  #number(): number {
    const from = this.#at;
    NUMBER.lastIndex = from;
    const match = NUMBER.exec(this.#text);
    if (match === null) throw this.#syntax('a value');
    this.#at = NUMBER.lastIndex;
    const value = Number(match[0]);
    if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER || Object.is(value, -0)) {
      throw new Refusal('UNSAFE_NUMBER', `position ${from}: expected a number within ±(2^53 − 1), and no negative zero`);
    }
    return value;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#syntax(word);
    this.#at += word.length;
    return value;
  }

  #takes(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #syntax(expected: string): Refusal {
    return new Refusal('SYNTAX', `position ${this.#at}: expected ${expected}`);
  }
}

const SPACE = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
