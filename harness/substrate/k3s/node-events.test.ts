import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCreated, parseExit } from './node-events.ts';

test('an exit is told with its code, which is left out when it is 0', () => {
  const line = (event: object) => `2026-11-29 21:34:58.391258183 +0000 UTC k8s.io /tasks/exit ${JSON.stringify(event)}`;
  const exited_at = '2026-11-29T21:34:58.390610443Z';
  assert.deepEqual(parseExit(line({ container_id: 'c', id: 'c', pid: 260, exit_status: 3, exited_at })), { containerId: 'containerd://c', exitCode: 3, exitedAt: '2026-11-29T21:34:58.390Z' });
  assert.equal(parseExit(line({ container_id: 'c', id: 'c', pid: 260, exited_at }))?.exitCode, 0);
  assert.equal(parseExit(line({ container_id: 'c', id: 'c', exited_at: { seconds: 1796000000, nanos: 5_000_000 } }))?.exitedAt, new Date(1796000000005).toISOString());
});

test('what was run beside the main process, and every other event, is none', () => {
  assert.equal(parseExit('2026-11-29 21:34:58 +0000 UTC k8s.io /tasks/exit {"container_id":"c","id":"a-hook","exited_at":"2026-11-29T21:34:58Z"}'), undefined);
  assert.equal(parseExit('2026-11-29 21:34:58 +0000 UTC k8s.io /tasks/start {"container_id":"c","pid":1}'), undefined);
});

test('a container is told with the image that it was made from', () => {
  const line = '2026-11-29 21:34:58.391258183 +0000 UTC k8s.io /containers/create {"id":"c","image":"docker.io/library/app:1","runtime":{"name":"io.containerd.runc.v2","options":{"type_url":"containerd.runc.v1.Options"}}}';
  assert.deepEqual(parseCreated(line), { containerId: 'containerd://c', image: 'docker.io/library/app:1' });
  assert.equal(parseCreated('2026-11-29 21:34:58 +0000 UTC k8s.io /containers/update {"id":"c","image":"docker.io/library/app:1"}'), undefined);
});
