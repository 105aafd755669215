import { EventEmitter } from 'node:events';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** `<RFC 3339 with nanoseconds> <stdout|stderr> F <text>`, as the container runtime interface lays it down. */
export interface LogLine {
  readonly at: string;
  readonly text: string;
}

/** What one run of one container has printed, in a file; it can be read and followed until the container has ended. */
export class ContainerLog {
  readonly path: string;
  readonly #descriptor: number;
  readonly #emitter = new EventEmitter<{ line: [LogLine]; end: [] }>().setMaxListeners(0);
  #isEnded = false;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'ax', 0o600);
  }

  capture(stream: 'stdout' | 'stderr', source: Readable): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    const append = (text: string): void => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#append(stream, line);
    };
    source.on('data', (chunk: Buffer) => append(decoder.write(chunk)));
    source.on('close', () => {
      append(decoder.end());
      if (rest !== '') this.#append(stream, rest);
      rest = '';
    });
    source.on('error', () => undefined);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    closeSync(this.#descriptor);
    this.#emitter.emit('end');
  }

  lines(): LogLine[] {
    const content = readFileSync(this.path, 'utf8');
    return content.split('\n').slice(0, -1).map(parseLine);
  }

  /** Calls back for what is printed from now on, and once at the end. */
  follow(onLine: (line: LogLine) => void, onEnd: () => void): () => void {
    if (this.#isEnded) {
      onEnd();
      return () => undefined;
    }
    this.#emitter.on('line', onLine).on('end', onEnd);
    return () => this.#emitter.off('line', onLine).off('end', onEnd);
  }

  #append(stream: 'stdout' | 'stderr', text: string): void {
    if (this.#isEnded) return;
    const line = { at: nanosecondTimestamp(), text };
    writeSync(this.#descriptor, `${line.at} ${stream} F ${text}\n`);
    this.#emitter.emit('line', line);
  }
}

function parseLine(line: string): LogLine {
  const [at = '', , , ...words] = line.split(' ');
  return { at, text: words.join(' ') };
}

function nanosecondTimestamp(): string {
  const ms = performance.timeOrigin + performance.now();
  const nanoseconds = Math.floor((ms % 1) * 1_000_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`;
}
