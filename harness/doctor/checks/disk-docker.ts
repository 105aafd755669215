import { statfs } from 'node:fs/promises';
import { failed, ok, unknown, type Check, type Finding } from '../check.ts';
import { ofEngine, sharesKernel } from '../engine.ts';
import { gib, inGib } from '../quantities.ts';

const LEAST_BYTES = gib(15);
const EXPECTED = `${inGib(LEAST_BYTES)} free where Docker stores`;

export const diskDocker: Check = {
  name: 'disk-docker',
  substrate: 'k3s',
  reason: 'a kubelet evicts its Pods from a disk that is nearly full',
  examine: (examination) =>
    ofEngine(examination, EXPECTED, async ({ info }) => {
      const space = await statfs(info.DockerRootDir).catch(() => null);
      if (space === null || !sharesKernel(info)) return unknown(`${info.DockerRootDir} is not on this machine, or cannot be looked at`, EXPECTED, 'look with `docker system df`, and at the disk of the machine that Docker runs in');
      return judgeFreeSpace(info.DockerRootDir, space.bavail * space.bsize);
    }),
};

export function judgeFreeSpace(folder: string, freeBytes: number): Finding {
  const found = `${inGib(freeBytes)} free in ${folder}`;
  return freeBytes >= LEAST_BYTES ? ok(found, EXPECTED) : failed(found, EXPECTED, 'remove images, build caches and volumes that are no longer used: `docker system prune --volumes` lists them before it asks');
}
