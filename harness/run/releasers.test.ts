import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReleaserStack } from './releasers.ts';

test('what was made last is released first, and a failing release does not keep the others', async () => {
  const order: string[] = [];
  const stack = new ReleaserStack();
  const broken = new Error('container is gone');
  stack.add('folder', () => Promise.resolve(void order.push('folder')));
  stack.add('container', () => Promise.reject(broken));
  stack.add('watch', () => Promise.resolve(void order.push('watch')));
  assert.deepEqual(await stack.releaseAll(), [{ name: 'container', error: broken }]);
  assert.deepEqual(order, ['watch', 'folder']);
  assert.deepEqual(await stack.releaseAll(), [], 'nothing is released twice');
});

test('what a release adds is released too', async () => {
  const order: string[] = [];
  const stack = new ReleaserStack();
  stack.add('outer', () => {
    stack.add('inner', () => Promise.resolve(void order.push('inner')));
    order.push('outer');
    return Promise.resolve();
  });
  await stack.releaseAll();
  assert.deepEqual(order, ['outer', 'inner']);
});

test('a release that hangs is named after its deadline, and the others run', async () => {
  const order: string[] = [];
  const stack = new ReleaserStack(20);
  stack.add('folder', () => Promise.resolve(void order.push('folder')));
  stack.add('connection', () => new Promise(() => undefined));
  const failures = await stack.releaseAll();
  assert.deepEqual(failures.map(({ name, error }) => [name, (error as { code?: string }).code]), [['connection', 'QL3_WAIT_TIMEOUT']]);
  assert.deepEqual(order, ['folder']);
});
