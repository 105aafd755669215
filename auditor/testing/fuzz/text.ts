import type { Random } from './random.ts';

/** What JSON readers stumble over. */
const TOKENS: readonly string[] = [
  '{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '\\u0000', '\\ud800', '\\udc00\\ud800', '\ud83d', '\u0000', '\u202e', '\ufeff', '\u2028', 'é', 'e\u0301', 'ｇ',
  'null', 'true', 'NaN', '-Infinity', '-0', '1e999', '-1e999', '1E-999', '9'.repeat(400), '9007199254740993', '0x10', '01', '1.', '.5', '//', '/*',
  '"__proto__":{"polluted":true},', '"constructor":{"prototype":{"polluted":true}},', '"prototype":1,', '"toString":1,', '"schemaVersion":1,', '"gates":{},', '"g\\u0061tes":{},', '"gates\\u200b":1,', '"ɡates":1,', '"":0,',
  '"kind":"Secret","data":{},', '"seq":1,', '"length":1e9,', 'ql3w_', '-----BEGIN ', 'eyJ', 'a://b:c@', '\n', '\r\n', '\t', ' '.repeat(2000),
];

/** A text with one to six changes: cut, doubled, taken out, exchanged, nested deep, and what readers stumble over put in. */
export function mutateText(random: Random, original: string): string {
  let text = original;
  for (let left = 1 + random.below(6); left > 0; left -= 1) text = change(random, text);
  return text;
}

function change(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const to = Math.min(text.length, at + random.below(random.chance(0.2) ? 4000 : 40));
  switch (random.below(9)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, to) + text.slice(at, to) + text.slice(to);
    case 3: {
      const other = random.below(text.length + 1);
      return text.slice(0, at) + text.slice(other, other + 60) + text.slice(to);
    }
    case 4:
      return text.slice(0, at) + random.pick(['[', '{"a":', '[[{"a":'] as const).repeat(random.below(5000)) + text.slice(at);
    case 5:
      return swapLines(random, text);
    case 6:
      return text.slice(0, at) + String.fromCharCode(random.below(65_536)) + text.slice(at + 1);
    case 7:
      return replaceValue(random, text, at);
    default:
      return text.slice(0, at) + random.pick(TOKENS) + text.slice(at);
  }
}

function swapLines(random: Random, text: string): string {
  const lines = text.split('\n');
  const [left, right] = [random.below(lines.length), random.below(lines.length)];
  [lines[left], lines[right]] = [lines[right] ?? '', lines[left] ?? ''];
  return lines.join('\n');
}

/** Puts another kind of value where one begins. */
function replaceValue(random: Random, text: string, at: number): string {
  const begin = text.indexOf(':', at) + 1;
  const end = /[,}\]]/.exec(text.slice(begin))?.index ?? 0;
  return text.slice(0, begin) + random.pick(['null', '[]', '{}', '""', '-1', '1.5', '9007199254740991', '[[[]]]', `"${'A'.repeat(random.below(3000))}"`, '{"a":{"a":{"a":1}}}']) + text.slice(begin + end);
}

/** JSON of no known shape, with keys that mean something elsewhere. */
export function inventJson(random: Random, depth = 0): string {
  const kind = random.below(depth > 6 ? 5 : 8);
  if (kind === 0) return random.pick(['null', 'true', 'false', '0', '1e308', '-1', '0.1']);
  if (kind < 4) return JSON.stringify(random.pick([...TOKENS, 'x'.repeat(random.below(200))]));
  if (kind === 4) return String(random.below(2 ** 31));
  const members = Array.from({ length: random.below(6) }, () => inventJson(random, depth + 1));
  if (kind === 5) return `[${members.join(',')}]`;
  return `{${members.map((member) => `${JSON.stringify(random.pick(['schemaVersion', 'fixture', 'gates', 'kubernetes', '__proto__', 'constructor', 'kind', 'metadata', 'body', 'a', 'toString', '0', '']))}:${member}`).join(',')}}`;
}
