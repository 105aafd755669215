import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseProgram } from './choose-program.ts';

const choose = (...args: string[]) => {
  const { name, args: passed } = chooseProgram('Image', { worker: 'works', init: 'prepares' }, args);
  return [name, ...passed];
};

test('a program is named by its name or its path; what is no program belongs to the image’s own', () => {
  assert.deepEqual(choose(), ['worker']);
  assert.deepEqual(choose('init', 'worker'), ['init', 'worker']);
  assert.deepEqual(choose('/app/init.mjs', '--help'), ['init', '--help']);
  assert.deepEqual(choose('reload'), ['worker', 'reload']);
  assert.deepEqual(choose('constructor'), ['worker', 'constructor']);
  assert.deepEqual(choose('/etc/init.mjs'), ['worker', '/etc/init.mjs']);
});

test('--help alone tells of every program, and then of the image’s own', () => {
  const { name, args, preface } = chooseProgram('Image', { worker: 'works', init: 'prepares' }, ['--help']);
  assert.deepEqual([name, args], ['worker', ['--help']]);
  assert.match(preface, /Image\n[\s\S]*worker +works\n +init +prepares\n/);
});
