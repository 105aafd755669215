import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { ControlError } from '../control-error.ts';

/** Binds a server and returns the port it got; a refusal names the address and what the system said. */
export async function listen(server: Server, address: { readonly host: string; readonly port: number }): Promise<number> {
  server.listen({ host: address.host, port: address.port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    const problem = { subject: `${address.host}:${address.port}`, problem: `cannot be listened on (${code}); free the port or choose another address` };
    throw new ControlError('QL3_CLUSTER_CONTROL_LISTEN_FAILED', [problem], { cause });
  }
  return (server.address() as AddressInfo).port;
}
