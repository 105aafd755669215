import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BUNDLE_CONTENTS } from './bundle-contents.ts';
import { ATTESTATION_PATH, BUNDLE_LAYOUT, BUNDLE_PARTS, BUNDLE_PATHS, MANIFEST_PATH } from './bundle-layout.ts';
import { tarHeader } from './tar-header.ts';
import { bundleOf } from './testing/bundle-story.ts';

test('the documentation names the files that the layout names', () => {
  const text = readFileSync(new URL('BUNDLE.md', import.meta.url), 'utf8');
  const rows = BUNDLE_PARTS.map((part) => `| \`${BUNDLE_LAYOUT[part].path}\` | ${BUNDLE_CONTENTS[part]} |`);
  const [, table] = /<!-- layout: generated -->\n([^]*?)\n<!-- layout: end -->/.exec(text) ?? [];
  assert.equal(table, ['| path | what |', '|---|---|', ...rows, `| \`${MANIFEST_PATH}\` | size and SHA-256 of each of the above |`, `| \`${ATTESTATION_PATH}\` | the signature, when the run was given a key |`].join('\n'));
});

test('a bundle holds every path of the layout, and every path fits a header', () => {
  assert.deepEqual([...bundleOf().keys(), ATTESTATION_PATH].sort(), BUNDLE_PATHS);
  for (const path of BUNDLE_PATHS) assert.ok(path.length < 100 && /^[a-z.-]+(?:\/[a-z.-]+)?$/.test(path));
});

test('a header’s sum is that of its bytes with the sum’s own field as spaces', () => {
  const header = Buffer.from(tarHeader('report.json', 8 ** 10 - 1));
  const said = Number.parseInt(header.toString('latin1', 148, 154), 8);
  assert.equal(said, header.fill(' ', 148, 156).reduce((sum, byte) => sum + byte, 0));
});
