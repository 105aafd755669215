import type Docker from 'dockerode';
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setInterval } from 'node:timers/promises';

const LOOK_EVERY_MS = 500;

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a command in a container, with a stream as its standard input if there is one, and waits for its end. */
export async function execInContainer(container: Docker.Container, command: readonly string[], { input, signal }: { input?: Readable; signal: AbortSignal }): Promise<ExecResult> {
  const hasInput = input !== undefined;
  const exec = await container.exec({ Cmd: [...command], AttachStdin: hasInput, AttachStdout: true, AttachStderr: true, abortSignal: signal });
  const stream = await exec.start({ hijack: true, stdin: hasInput });
  const stop = () => stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const output = collectOutput(container, stream);
    if (hasInput) await sendInput(exec, input, stream);
    const [stdout, stderr] = await output;
    signal.throwIfAborted();
    const { ExitCode } = await exec.inspect();
    return { exitCode: ExitCode ?? -1, stdout, stderr: stderr.toString() };
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

function collectOutput(container: Docker.Container, stream: Duplex): Promise<[Buffer, Buffer]> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, stdout, stderr);
  const end = () => void (stdout.end(), stderr.end());
  stream.once('end', end).once('close', end).once('error', end);
  return Promise.all([buffer(stdout), buffer(stderr)]);
}

/**
 * Sends the input to its end, or to the command's: the Engine keeps the connection of a command that has ended open until
 * its input is closed too, so somebody has to look. Why it ended is told by its exit code, not by a broken pipe.
 */
async function sendInput(exec: Docker.Exec, input: Readable, stream: Duplex): Promise<void> {
  const done = new AbortController();
  const sending = pipeline(input, stream, { end: false }).catch(() => undefined).finally(() => done.abort());
  try {
    for await (const _ of setInterval(LOOK_EVERY_MS, undefined, { signal: done.signal })) {
      if (!(await exec.inspect()).Running) input.destroy();
    }
  } catch (error) {
    if (!done.signal.aborted) throw error;
  }
  await sending;
  stream.end();
}
