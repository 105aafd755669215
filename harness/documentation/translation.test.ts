import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFences } from './fences.ts';
import { headingsOf, linksOf, readMarkdown, tablesOf } from './markdown.ts';

const english = readMarkdown('README.md');
const chinese = readMarkdown('README.zh-CN.md');

/** Comments are translated, commands are not. */
const commandsOf = (markdown: string) => readFences(markdown).map(({ language, text }) => ({ language, lines: text.split('\n').map((line) => line.replace(/\s+#.*$/, '')) }));
const inlineCodeOf = (markdown: string) => new Set([...markdown.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code));

describe('README.zh-CN.md says what README.md says', () => {
  test('the same headings, level by level', () => {
    assert.deepEqual(headingsOf(chinese).map(({ level }) => level), headingsOf(english).map(({ level }) => level));
  });

  test('the same commands', () => {
    assert.deepEqual(commandsOf(chinese), commandsOf(english));
  });

  test('the same tables: as many columns and rows; where the key is code or a number, the same key', () => {
    const [ours, theirs] = [tablesOf(english), tablesOf(chinese)];
    assert.deepEqual(theirs.map(({ columns, keys }) => [columns, keys.length]), ours.map(({ columns, keys }) => [columns, keys.length]));
    for (const [index, { keys }] of ours.entries()) {
      for (const [row, key] of keys.entries()) if (/^[`\d]/.test(key)) assert.equal(theirs[index]?.keys[row], key);
    }
  });

  test('the same links but the one to each other, and the same names in code', () => {
    const others = (links: readonly string[]) => links.filter((link) => !/^README(\.zh-CN)?\.md$/.test(link));
    assert.deepEqual(others(linksOf(chinese)), others(linksOf(english)));
    assert.deepEqual(inlineCodeOf(chinese), inlineCodeOf(english));
  });
});
