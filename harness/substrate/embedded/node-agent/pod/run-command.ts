import { ContainerProcess, type ProcessSpec } from '../process/container-process.ts';

const OUTPUT_BYTES = 4096;

export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a probe's or a hook's command to its end; the signal kills it. Only the beginning of its output is kept. */
export async function runCommand(spec: ProcessSpec, signal: AbortSignal): Promise<CommandResult> {
  const command = await ContainerProcess.start(spec);
  const kill = (): void => command.kill();
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (const stream of [command.stdout, command.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (bytes < OUTPUT_BYTES) chunks.push(chunk);
      bytes += chunk.length;
    });
  }
  const { exitCode } = await command.exit;
  signal.removeEventListener('abort', kill);
  return { exitCode, output: Buffer.concat(chunks).subarray(0, OUTPUT_BYTES).toString('utf8').trim() };
}
