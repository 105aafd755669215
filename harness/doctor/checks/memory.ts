import { totalmem } from 'node:os';
import type { SubstrateKind } from '../../substrate/substrate.ts';
import { failed, ok, warning, type Check, type Finding } from '../check.ts';
import { sharesKernel } from '../engine.ts';
import { gib, inGib } from '../quantities.ts';

/** K3s asks for 2 GiB of a server (https://docs.k3s.io/installation/requirements), and PostgreSQL and the Pods come on top; an embedded cluster is a few Node.js processes. */
const NEEDED: Readonly<Record<SubstrateKind, { readonly leastBytes: number; readonly comfortableBytes: number }>> = {
  embedded: { leastBytes: gib(0.75), comfortableBytes: gib(1.5) },
  k3s: { leastBytes: gib(1.5), comfortableBytes: gib(3) },
};

export const memory: Check = {
  name: 'memory',
  substrate: 'both',
  reason: 'a Pod that the kernel kills for want of memory looks like a Worker that does not keep its session',
  async examine(examination) {
    const engine = await examination.engine();
    // takes a limit of the own cgroup into account
    const here = process.availableMemory();
    const elsewhere = engine !== null && !sharesKernel(engine.info);
    return [
      { ...judgeMemory('embedded', here, `${inGib(here)} available of ${inGib(totalmem())}`), substrate: 'embedded' },
      {
        ...(elsewhere ? judgeMemory('k3s', engine.info.MemTotal, `${inGib(engine.info.MemTotal)} in the machine of the Engine`) : judgeMemory('k3s', here, `${inGib(here)} available of ${inGib(totalmem())}`)),
        substrate: 'k3s',
      },
    ];
  },
};

export function judgeMemory(substrate: SubstrateKind, bytes: number, found: string): Finding {
  const { leastBytes, comfortableBytes } = NEEDED[substrate];
  const expected = `${inGib(comfortableBytes)}, and no less than ${inGib(leastBytes)}`;
  const cure = 'end what is not needed, or give the machine (of Docker) more memory';
  if (bytes < leastBytes) return failed(found, expected, cure);
  return bytes < comfortableBytes ? warning(found, expected, cure) : ok(found, expected);
}
