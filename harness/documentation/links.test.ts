import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { anchorsOf, linksOf, markdownFiles, readMarkdown } from './markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

for (const path of markdownFiles()) {
  test(`every relative link and anchor of ${path} leads somewhere`, () => {
    for (const link of linksOf(readMarkdown(path))) {
      if (/^(https?|mailto):/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), decodeURI(file)));
      assert.ok(!target.startsWith('..') && existsSync(join(root, target)), `${path}: there is no ${link}`);
      if (anchor === undefined) continue;
      const page = statSync(join(root, target)).isDirectory() ? join(target, 'README.md') : target;
      assert.ok(anchorsOf(readMarkdown(page)).has(anchor), `${path}: ${page} has no heading for #${anchor}`);
    }
  });
}
