import assert from 'node:assert/strict';
import { lstat, mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AtomicFolder, type Payload } from './atomic-folder.ts';

function payload(files: Record<string, string>, mode = 0o440): Payload {
  return new Map(Object.entries(files).map(([path, text]) => [path, { content: Buffer.from(text), mode }]));
}

describe('an atomic folder', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atomic-folder-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('shows files through ..data, with their modes whatever the umask is', async () => {
    const umask = process.umask(0o077);
    try {
      await new AtomicFolder(directory, null).write(payload({ 'tls.key': 'k', 'sub/ca.crt': 'c' }));
    } finally {
      process.umask(umask);
    }
    assert.equal(await readlink(join(directory, 'tls.key')), '..data/tls.key');
    assert.equal(await readFile(join(directory, 'sub/ca.crt'), 'utf8'), 'c');
    assert.equal((await stat(join(directory, 'tls.key'))).mode & 0o777, 0o440);
    assert.ok((await lstat(join(directory, '..data'))).isSymbolicLink());
  });

  it('changes all files at once, drops what is no longer there, and keeps one version', async () => {
    const folder = new AtomicFolder(directory, null);
    await folder.write(payload({ a: '1', b: '1' }));
    const first = await readlink(join(directory, '..data'));
    assert.equal(await folder.write(payload({ a: '1', b: '1' })), false);
    assert.equal(await readlink(join(directory, '..data')), first);
    assert.equal(await folder.write(payload({ a: '2', c: '2' })), true);
    const second = await readlink(join(directory, '..data'));
    assert.deepEqual((await readdir(directory)).toSorted(), ['..data', second, 'a', 'c'].toSorted());
    assert.equal(await readFile(join(directory, 'a'), 'utf8'), '2');
  });

  it('lets the group read where the Pod has an fsGroup', { skip: process.getuid?.() !== 0 && 'only root may give files away' }, async () => {
    await new AtomicFolder(directory, 65532).write(payload({ token: 't' }, 0o400));
    const { gid, mode } = await stat(join(directory, 'token'));
    assert.deepEqual([gid, mode & 0o777], [65532, 0o440]);
  });
});
