import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { canonicalJson } from './canonical-json.ts';
import { parseStrictJson } from './strict-json.ts';

describe('canonicalJson', () => {
  it('gives the example of RFC 8785 section 3.2.3', () => {
    const value = { '\u20ac': 'Euro Sign', '\r': 'Carriage Return', '\ufb33': 'Hebrew Letter Dalet With Dagesh', '1': 'One', '\ud83d\ude00': 'Emoji: Grinning Face', '\u0080': 'Control', '\u00f6': 'Latin Small Letter O With Diaeresis' };
    assert.deepEqual([...canonicalJson(value).matchAll(/:"([^"]+)"/g)].map(([, text]) => text), ['Carriage Return', 'One', 'Control', 'Latin Small Letter O With Diaeresis', 'Euro Sign', 'Emoji: Grinning Face', 'Hebrew Letter Dalet With Dagesh']);
  });

  it('is the same for equal values, whatever the order of their keys, and is read back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }).filter((value) => !/\p{Surrogate}/u.test(JSON.stringify(value))), (value) => {
        const text = canonicalJson(value);
        assert.equal(canonicalJson(JSON.parse(text)), text);
        assert.equal(canonicalJson(reversed(value)), text);
      }),
    );
  });

  it('has no text for what is no JSON', () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', () => 1, { a: undefined }, 1n]) assert.throws(() => canonicalJson(value), TypeError);
  });
});

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads, unless it can be read in two ways', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseStrictJson(text);
        if (parsed.ok) assert.deepEqual(JSON.stringify(parsed.value), JSON.stringify(JSON.parse(text)));
        else assert.notEqual(parsed.code, 'SYNTAX');
      }),
    );
  });

  it('never throws, and accepts nothing that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '1', '-', '.', 'e', '\\', 'u', '0', ' ', 'null', 'true') })), (text) => {
        if (!parseStrictJson(text).ok) return;
        assert.doesNotThrow(() => JSON.parse(text));
      }),
    );
  });

  for (const [text, code] of [
    ['{"a":1,"a":2}', 'DUPLICATE_KEY'],
    ['{"a":1,"\\u0061":2}', 'DUPLICATE_KEY'],
    ['{"__proto__":{}}', 'PROTOTYPE_KEY'],
    ['{"a":{"constructor":1}}', 'PROTOTYPE_KEY'],
    ['[9007199254740992]', 'UNSAFE_NUMBER'],
    ['[1e400]', 'UNSAFE_NUMBER'],
    ['[-0]', 'UNSAFE_NUMBER'],
    ['[NaN]', 'SYNTAX'],
    ['{"a":1}x', 'SYNTAX'],
    ['"\u0001"', 'SYNTAX'],
    ['"\\ud800"', 'LONE_SURROGATE'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'TOO_DEEP'],
    ['['.repeat(1_000_000), 'TOO_DEEP'],
    ['', 'SYNTAX'],
  ] as const) {
    it(`refuses ${text.slice(0, 30)} as ${code}`, () => {
      const parsed = parseStrictJson(text);
      assert.equal(parsed.ok ? 'accepted' : parsed.code, code);
    });
  }
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, item]) => [key, reversed(item)]));
}
