import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * One address for control processes that come and go, as a Service of Kubernetes gives it: a port that a process has left
 * may belong to somebody else before the next one asks for it.
 */
export class ControlService implements AsyncDisposable {
  readonly port: number;
  /** Where connections lead; without a process there they are cut. */
  targetPort: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, targetPort: number) {
    this.port = (server.address() as AddressInfo).port;
    this.targetPort = targetPort;
    this.#server = server;
    server.on('connection', (client) => this.#forward(client));
  }

  static async listen(host: string, targetPort: number): Promise<ControlService> {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    return new ControlService(server, targetPort);
  }

  #forward(client: Socket): void {
    const upstream = connect(this.targetPort, (this.#server.address() as AddressInfo).address);
    for (const socket of [client, upstream]) this.#sockets.add(socket.once('close', () => this.#sockets.delete(socket)));
    pipeline(client, upstream, client, () => {
      for (const socket of [client, upstream]) socket.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }
}
