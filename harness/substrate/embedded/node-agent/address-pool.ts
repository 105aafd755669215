import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The kubelet's port; whoever listens on it at a range's first address owns the range. */
const KUBELET_PORT = 10_250;
const ATTEMPTS = 32;

/**
 * A range 127.a.b.0/24 for one cluster on this machine. The node's own address holds a port for as long as the
 * cluster lives, so two clusters never share a range, and a dead one leaves its range free.
 */
export class AddressPool implements AsyncDisposable {
  readonly #prefix: string;
  readonly #claim: Server;
  readonly #used = new Set<number>();
  #next = 10;

  private constructor(prefix: string, claim: Server) {
    this.#prefix = prefix;
    this.#claim = claim;
  }

  static async claim(): Promise<AddressPool> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const prefix = `127.${randomInt(64, 255)}.${randomInt(0, 256)}`;
      const server = createServer((socket) => socket.destroy());
      server.listen(KUBELET_PORT, `${prefix}.1`);
      try {
        await once(server, 'listening');
        return new AddressPool(prefix, server);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EADDRINUSE') continue;
        throw new Error(`cannot listen on ${prefix}.1 (${code}): the embedded cluster needs all of 127.0.0.0/8 on the loopback interface, as Linux has it`, { cause: error });
      }
    }
    throw new Error(`no free loopback range after ${ATTEMPTS} attempts: are that many embedded clusters running?`);
  }

  get nodeAddress(): string {
    return `${this.#prefix}.1`;
  }

  /** An address of the range where nothing ever listens: connections to it are refused. */
  get deadAddress(): string {
    return `${this.#prefix}.254`;
  }

  allocate(): string {
    for (let step = 0; step < 240; step += 1) {
      const host = 10 + ((this.#next - 10 + step) % 240);
      if (this.#used.has(host)) continue;
      this.#used.add(host);
      this.#next = host + 1;
      return `${this.#prefix}.${host}`;
    }
    throw new Error('all 240 Pod addresses of this node are in use');
  }

  release(address: string): void {
    this.#used.delete(Number(address.slice(address.lastIndexOf('.') + 1)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#claim.close();
    await once(this.#claim, 'close');
  }
}
