import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseQuantity } from './quantity.ts';

describe('quantities', () => {
  const cases: [string | number, number][] = [['16Mi', 16 * 2 ** 20], ['1k', 1000], ['250m', 0.25], ['1e3', 1000], ['1.5Gi', 1.5 * 2 ** 30], [7, 7], ['12E', 12e18]];
  for (const [text, expected] of cases) it(`${text} is ${expected}`, () => assert.equal(parseQuantity(text), expected));
  it('refuses what is none', () => assert.throws(() => parseQuantity('16MiB')));
});
