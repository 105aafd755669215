import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { failed, ok, type Check, type Finding } from '../check.ts';

/** API, database and health ports of a run, of which each takes one that is free. */
const PORTS = 16;
const EXPECTED_PORTS = `${PORTS} free ports on 127.0.0.1`;
const EXPECTED_ADDRESSES = 'every address of 127.0.0.0/8 to be this machine';

export const loopback: Check = {
  name: 'loopback',
  substrate: 'both',
  reason: 'API server and database listen on 127.0.0.1 alone, and each Pod of a rehearsal has an address 127.a.b.c of its own',
  async examine() {
    const [ports, addresses] = await Promise.all([freePorts(), ownAddresses()]);
    return [{ ...ports, of: 'ports' }, { ...addresses, of: 'addresses', substrate: 'embedded' }];
  },
};

async function freePorts(): Promise<Finding> {
  try {
    await listen(Array.from({ length: PORTS }, () => '127.0.0.1'));
    return ok(`${PORTS} ports could be had at once`, EXPECTED_PORTS);
  } catch (error) {
    return failed((error as Error).message, EXPECTED_PORTS, 'see what holds them (ss -tan), and whether net.ipv4.ip_local_port_range is wide enough');
  }
}

async function ownAddresses(): Promise<Finding> {
  const addresses = Array.from({ length: 3 }, () => `127.${randomInt(64, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`);
  try {
    await listen(addresses);
    return ok(`${addresses.join(', ')} can be listened on`, EXPECTED_ADDRESSES);
  } catch (error) {
    return failed((error as Error).message, EXPECTED_ADDRESSES, 'use Linux, where it is so; elsewhere only the k3s substrate can run');
  }
}

async function listen(addresses: readonly string[]): Promise<void> {
  const servers = addresses.map((address) => createServer().listen(0, address));
  try {
    await Promise.all(servers.map((server) => once(server, 'listening')));
  } finally {
    await Promise.allSettled(servers.map(close));
  }
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
}
