import type Docker from 'dockerode';

/** The last lines that a container has printed, to both of its outputs, in the order in which the Engine took them. */
export async function lastLines(container: Docker.Container, lines: number): Promise<string> {
  const log = await container.logs({ stdout: true, stderr: true, tail: lines, follow: false });
  return withoutFrames(log);
}

/** Without a terminal, the Engine puts a header of eight bytes before each piece of output. */
function withoutFrames(log: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= log.length; ) {
    const size = log.readUInt32BE(at + 4);
    pieces.push(log.subarray(at + 8, at + 8 + size));
    at += 8 + size;
  }
  return Buffer.concat(pieces).toString();
}
