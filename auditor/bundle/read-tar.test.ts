import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import { MOST_BUNDLE_BYTES, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { tarHeader } from '../../evidence/tar-header.ts';
import { archiveOf } from '../../evidence/testing/archive.ts';
import { bundleOf } from '../../evidence/testing/bundle-story.ts';
import { readTar } from './read-tar.ts';

const FILES: BundleFiles = bundleOf();
const ARCHIVE = archiveOf(FILES);
const FIRST = 'api/audit.jsonl';

/** The archive with one change, which must be one. */
function broken(change: (archive: Buffer) => Buffer | void): readonly string[] {
  const copy = Buffer.from(ARCHIVE);
  const changed = change(copy) ?? copy;
  assert.ok(!changed.equals(ARCHIVE));
  return readTar(changed).faults;
}
/** Another header, with its sum put right, as a forger would. */
function withHeader(change: (header: Buffer) => unknown): readonly string[] {
  return broken((archive) => {
    const header = archive.subarray(0, 512);
    change(header);
    header.write('        ', 148, 'latin1');
    header.write(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')} \0`, 148, 'latin1');
  });
}
const octal = (value: number): string => `${value.toString(8).padStart(10, '0')} `;

describe('reading an archive', () => {
  let folder = '';
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'ql3-tar-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('gives back what was put in', () => {
    const { files, faults } = readTar(ARCHIVE);
    assert.deepEqual(faults, []);
    assert.deepEqual([...files.keys()], [...FILES.keys()].sort());
    for (const [path, bytes] of FILES) assert.ok(Buffer.from(bytes).equals(Buffer.from(files.get(path) ?? [])), path);
  });

  it('is what the package tar writes, byte by byte', async () => {
    for (const [path, bytes] of FILES) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes, { mode: 0o600 });
    }
    const chunks: Buffer[] = [];
    const stream = create({ cwd: folder, portable: true, noPax: true, noDirRecurse: true, strict: true, mtime: new Date(0) }, [...FILES.keys()].sort());
    for await (const chunk of stream) chunks.push(chunk);
    assert.ok(Buffer.concat(chunks).equals(ARCHIVE));
  });

  for (const [what, change] of Object.entries<(header: Buffer) => unknown>({
    'a path that leads out': (header) => header.write('../api/audit.json', 0),
    'an absolute path': (header) => header.write('/api/audit.jsonl', 0),
    'a path that is not known': (header) => header.write('api/audit.jsonx', 0),
    'a known path with more behind it': (header) => header.write('api/audit.jsonl/x', 0),
    'a hidden second name': (header) => header.write('x', 40),
    'a hard link': (header) => (header.write('1', 156), header.write('report.json', 157)),
    'a symbolic link': (header) => (header.write('2', 156), header.write('/etc/passwd', 157)),
    'a character device': (header) => header.write('3', 156),
    'a block device': (header) => header.write('4', 156),
    'a folder': (header) => header.write('5', 156),
    'a pipe': (header) => header.write('6', 156),
    'a long name': (header) => header.write('L', 156),
    'an extended header': (header) => header.write('x', 156),
    'a global header': (header) => header.write('g', 156),
    'a sparse file': (header) => header.write('S', 156),
    'another mode': (header) => header.write('004755 ', 100),
    'an owner': (header) => header.write('000000 ', 108),
    'a time': (header) => header.write(octal(1), 136),
    'a prefix': (header) => header.write('/etc', 345),
    'a size in base 256': (header) => header.write('\u0080', 124, 'latin1'),
    'a negative size': (header) => header.write('-000000001 ', 124),
    'a size beyond the archive': (header) => header.write(octal(MOST_BUNDLE_BYTES * 2), 124),
    'another format': (header) => header.write('ustar  ', 257),
  })) {
    it(`refuses ${what}`, () => {
      const faults = withHeader(change);
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? '', /^archive, byte \d+: expected /);
    });
  }

  it('names gzip, of which nothing is cut off', () => assert.match(readTar(gzipSync(ARCHIVE)).faults[0] ?? '', /gzip.*unpack/));
  it('names the entry that it did not expect', () => assert.match(withHeader((header) => header.fill(0, 0, 100).write('api/', 0))[0] ?? '', /^archive, byte 0: expected one of api\/audit.jsonl, .*, got "api\/"$/));
  it('refuses a wrong sum of a header', () => assert.equal(broken((archive) => void archive.write('7', 150)).length, 1));
  it('refuses what lies behind a file, between files, and behind the end', () => {
    const length = (FILES.get(FIRST) as Uint8Array).length;
    assert.ok(length % 512 !== 0);
    assert.equal(broken((archive) => void archive.write('x', 512 + length)).length, 1);
    assert.equal(broken((archive) => Buffer.concat([archive, Buffer.alloc(512)])).length, 1);
    assert.equal(broken((archive) => void archive.write('x', archive.length - 1)).length, 1);
  });
  it('refuses a file that comes twice, or out of its order', () => {
    const files = [...FILES].sort(([left], [right]) => (left < right ? -1 : 1));
    const raw = (entries: typeof files): Buffer => Buffer.concat([...entries.flatMap(([path, bytes]) => [tarHeader(path, bytes.length), bytes, Buffer.alloc(-bytes.length & 511)]), Buffer.alloc(1024)]);
    assert.deepEqual(readTar(raw(files)).faults, []);
    assert.equal(readTar(raw([...files, ...files.slice(0, 1)])).faults.length, 1);
    assert.equal(readTar(raw(files.toReversed())).faults.length, 1);
  });
  it('refuses every length that it can be cut to', () => {
    for (let length = 0; length < ARCHIVE.length; length += 509) assert.equal(readTar(ARCHIVE.subarray(0, length)).faults.length, 1, String(length));
  });
  it('refuses more than a bundle may be', () => assert.equal(readTar(new Uint8Array(MOST_BUNDLE_BYTES + 512)).faults.length, 1));
  it('reads nothing of an empty archive', () => assert.deepEqual(readTar(new Uint8Array(1024)), { files: new Map(), faults: [] }));
});
