import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { patched } from './apply-patches.ts';
import { WAIT_LESS } from './rehearse-in.ts';
import { TREE_LIES } from './tree-lies/all-tree-lies.ts';
import { ROOT } from './workshop.ts';

describe('lies of another tree', () => {
  for (const { name, patches } of [{ name: 'waiting less', patches: WAIT_LESS }, ...TREE_LIES]) {
    it(`${name} still finds what it changes`, () => {
      const texts = new Map<string, string>();
      for (const patch of patches) {
        const before = texts.get(patch.file) ?? readFileSync(join(ROOT, patch.file), 'utf8');
        const after = patched(before, patch);
        assert.notEqual(after, before);
        texts.set(patch.file, after);
      }
    });
  }

  it('have a name of their own each', () => assert.equal(new Set(TREE_LIES.map(({ name }) => name)).size, TREE_LIES.length));
});
