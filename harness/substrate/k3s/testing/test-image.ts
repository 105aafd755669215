import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { Header } from 'tar';
import { readEngineMessages } from '../../../images/engine-messages.ts';

/** An image that takes a server's flags and serves nothing. */
export const SLEEPER_PROGRAM = "process.on('SIGTERM', () => process.exit(0)); console.log('asleep'); setInterval(() => {}, 1 << 30)";

/** Builds an image on Node's base that runs one small program, whatever it is given as arguments. */
export async function buildTestImage(engine: Docker, tag: string, { base, program }: { readonly base: string; readonly program: string }): Promise<void> {
  const dockerfile = `FROM ${base}\nLABEL io.qinglong.live.test=k3s\nENTRYPOINT ${JSON.stringify(['node', '--eval', program])}\n`;
  const stream = await engine.buildImage(Readable.from([tarOf('Dockerfile', Buffer.from(dockerfile))]), { t: tag, version: '2' });
  const { failure } = await readEngineMessages(stream as Readable, AbortSignal.timeout(60_000));
  assert.equal(failure, undefined);
}

/** An archive of one file. */
export function tarOf(path: string, content: Buffer): Buffer {
  const header = new Header({ path, mode: 0o644, type: 'File', uid: 0, gid: 0, size: content.length, mtime: new Date(0) });
  const block = Buffer.alloc(512);
  header.encode(block);
  return Buffer.concat([block, content, Buffer.alloc((512 - (content.length % 512)) % 512), Buffer.alloc(1024)]);
}
