import type Docker from 'dockerode';
import { PassThrough, type Duplex } from 'node:stream';
import { createInterface } from 'node:readline';
import type { ContainerExit } from '../substrate.ts';

/** A container that the runtime has made, of a Pod's own or the one that holds a Pod together. */
export interface CreatedContainer {
  readonly containerId: string;
  /** As the kubelet asked for it: a name or an id. */
  readonly image: string;
}

interface ExitEvent {
  readonly container_id: string;
  /** Equal to the container's for its main process; another one for what was run beside it. */
  readonly id: string;
  /** Left out when it is 0. */
  readonly exit_status?: number;
  readonly exited_at: string | { readonly seconds: number; readonly nanos?: number };
}

const EXIT_TOPIC = ' /tasks/exit ';
const CREATE_TOPIC = ' /containers/create ';

/** Follows the runtime's own events: from which image each container was made, and how its main process ended, whether or not the kubelet gets to tell. */
export class NodeEvents implements Disposable {
  readonly exits: ContainerExit[] = [];
  readonly created: CreatedContainer[] = [];
  readonly #stream: Duplex;

  private constructor(stream: Duplex) {
    this.#stream = stream;
  }

  static async follow(container: Docker.Container): Promise<NodeEvents> {
    const exec = await container.exec({ Cmd: ['ctr', '--namespace', 'k8s.io', 'events'], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({ hijack: true, stdin: false });
    const following = new NodeEvents(stream);
    const lines = new PassThrough();
    container.modem.demuxStream(stream, lines, new PassThrough().resume());
    stream.once('close', () => lines.end()).on('error', () => lines.end());
    createInterface({ input: lines }).on('line', (line) => {
      const [exit, created] = [parseExit(line), parseCreated(line)];
      if (exit) following.exits.push(exit);
      if (created) following.created.push(created);
    });
    return following;
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }
}

/** `TIME NAMESPACE TOPIC JSON`; undefined for every other event. */
export function parseExit(line: string): ContainerExit | undefined {
  const at = line.indexOf(EXIT_TOPIC);
  if (at < 0) return undefined;
  const event = JSON.parse(line.slice(at + EXIT_TOPIC.length)) as ExitEvent;
  if (event.id !== event.container_id) return undefined;
  const { exited_at: exited } = event;
  const exitedAt = typeof exited === 'string' ? new Date(exited) : new Date(exited.seconds * 1000 + (exited.nanos ?? 0) / 1e6);
  return { containerId: `containerd://${event.container_id}`, exitCode: event.exit_status ?? 0, exitedAt: exitedAt.toISOString() };
}

export function parseCreated(line: string): CreatedContainer | undefined {
  const at = line.indexOf(CREATE_TOPIC);
  if (at < 0) return undefined;
  const { id, image = '' } = JSON.parse(line.slice(at + CREATE_TOPIC.length)) as { id: string; image?: string };
  return { containerId: `containerd://${id}`, image };
}
