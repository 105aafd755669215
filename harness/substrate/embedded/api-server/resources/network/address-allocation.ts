import type { V1ServiceSpec } from '@kubernetes/client-node';
import type { ObjectStore } from '../../storage/object-store.ts';
import { internalError } from '../../status-error.ts';

/** K3s's service range. The first address is the API server's own Service. */
export const API_SERVICE_ADDRESS = '10.43.0.1';
const RANGE = /^10\.43\.\d{1,3}\.\d{1,3}$/;
const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;

function serviceSpecs(store: ObjectStore): V1ServiceSpec[] {
  return store.list('/services', null).map((service) => service['spec'] as V1ServiceSpec);
}

export function isClusterAddress(address: string): boolean {
  return RANGE.test(address);
}

/** The lowest free address from 10.43.1.0 on; below it addresses are left to those that ask for a certain one. */
export function freeClusterAddress(store: ObjectStore): string {
  const taken = new Set(serviceSpecs(store).map((spec) => spec.clusterIP));
  for (let number = 256; number < 65_535; number++) {
    const address = `10.43.${number >> 8}.${number & 255}`;
    if (!taken.has(address)) return address;
  }
  throw internalError('failed to allocate a serviceIP: range is full');
}

export function freeNodePort(store: ObjectStore): number {
  const taken = new Set(serviceSpecs(store).flatMap((spec) => (spec.ports ?? []).map((port) => port.nodePort)));
  for (let port = FIRST_NODE_PORT; port <= LAST_NODE_PORT; port++) {
    if (!taken.has(port)) return port;
  }
  throw internalError('failed to allocate a nodePort: range is full');
}
