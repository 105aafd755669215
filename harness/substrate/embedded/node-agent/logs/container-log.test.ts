import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { ContainerLog } from './container-log.ts';
import { openLog } from './open-log.ts';

describe('a container log', () => {
  let directory: string;
  let count = 0;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'container-log-'));
  });
  after(() => rm(directory, { recursive: true }));

  async function logOf(...chunks: (string | Buffer)[]): Promise<{ log: ContainerLog; source: PassThrough }> {
    count += 1;
    const log = new ContainerLog(join(directory, `${count}.log`));
    const source = new PassThrough();
    log.capture('stdout', source);
    for (const chunk of chunks) {
      source.write(chunk);
      await new Promise(setImmediate);
    }
    return { log, source };
  }

  it('keeps lines whole, however they arrive, and the last one without its end', async () => {
    const { log, source } = await logOf('one\ntw', 'o\n', Buffer.from([0xc3]), Buffer.from([0xa4]), '!');
    source.end();
    await once(source, 'close');
    log.end();
    assert.equal(await text(openLog(log, { follow: false })), 'one\ntwo\nä!\n');
    assert.equal(await text(openLog(log, { follow: false, tailLines: 2 })), 'two\nä!\n');
    assert.equal(await text(openLog(log, { follow: false, tailLines: 0 })), '');
    assert.equal(await text(openLog(log, { follow: false, limitBytes: 5 })), 'one\nt');
    assert.match(await text(openLog(log, { follow: false, tailLines: 1, timestamps: true })), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ä!\n$/);
  });

  it('is followed without a gap and without a repetition until the container ends', async () => {
    const { log, source } = await logOf('a\n', 'b\n');
    const followed = text(openLog(log, { follow: true, tailLines: 1 }));
    source.write('c\n');
    source.end('d');
    await once(source, 'close');
    log.end();
    assert.equal(await followed, 'b\nc\nd\n');
  });
});
