import { ManifestError } from './error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/** Text and numbers are put in as they are; bytes as base64, which is how a Secret's `data` holds them. */
export type ParameterValue = string | number | Uint8Array;
export type Parameters = Readonly<Record<string, ParameterValue>>;

const PLACEHOLDER = /\$\{([a-z][A-Za-z0-9]*)(?::=([^}]*))?\}/g;

/**
 * Replaces `${name}` and `${name:=default}` in every string of the objects. Works on parsed values, so that no value can
 * break out of its place. A placeholder without value or default, and a parameter that no placeholder uses, are errors.
 */
export function fillPlaceholders(objects: readonly JsonObject[], parameters: Parameters, origin: string): JsonObject[] {
  const filler = new Filler(parameters, origin);
  const filled = objects.map((object) => filler.fill(object) as JsonObject);
  const unused = Object.keys(parameters).filter((name) => !filler.used.has(name));
  if (unused.length > 0) {
    throw new ManifestError('MANIFEST_PARAMETER_UNUSED', `${origin} has no placeholder for ${unused.join(', ')}`);
  }
  return filled;
}

class Filler {
  readonly used = new Set<string>();
  readonly #parameters: Parameters;
  readonly #origin: string;

  constructor(parameters: Parameters, origin: string) {
    this.#parameters = parameters;
    this.#origin = origin;
  }

  fill(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#fillText(value);
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item)]));
  }

  #fillText(text: string): JsonValue {
    const [whole] = text.matchAll(PLACEHOLDER);
    if (whole && whole[0] === text) return this.#valueOf(whole[1] as string, whole[2], true);
    return text.replace(PLACEHOLDER, (_match, name: string, fallback?: string) => String(this.#valueOf(name, fallback, false)));
  }

  #valueOf(name: string, fallback: string | undefined, isWhole: boolean): string | number {
    const given = Object.hasOwn(this.#parameters, name) ? this.#parameters[name] : undefined;
    if (given === undefined) {
      if (fallback === undefined) throw new ManifestError('MANIFEST_PARAMETER_MISSING', `${this.#origin} needs a value for ${name}`);
      return isWhole && /^[0-9]+$/.test(fallback) ? Number(fallback) : fallback;
    }
    this.used.add(name);
    if (typeof given !== 'object') return given;
    if (!isWhole) throw new ManifestError('MANIFEST_PARAMETER_INVALID', `${this.#origin}: ${name} is bytes and can only fill a whole value`);
    return Buffer.from(given).toString('base64');
  }
}
