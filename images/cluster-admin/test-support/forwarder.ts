import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Forwarder extends AsyncDisposable {
  /** https URL whose bytes go to the real server. */
  readonly server: string;
  openSockets(): number;
  /** Every connection that was ever made. */
  connections(): number;
  /** Resolves when the client has closed every socket it opened so far. */
  allClosed(): Promise<void>;
}

/** Stands between a client and a server, without a look into what they say, to see the client's sockets. */
export async function startForwarder(target: string): Promise<Forwarder> {
  const { hostname, port } = new URL(target);
  const closings = new Map<Socket, Promise<void>>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream);
    upstream.pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    closings.set(client, new Promise((resolve) => client.on('close', () => {
      upstream.destroy();
      closings.delete(client);
      resolve();
    })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    openSockets: () => closings.size,
    connections: () => connections,
    async allClosed() {
      await Promise.all(closings.values());
    },
    async [Symbol.asyncDispose]() {
      for (const socket of closings.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
