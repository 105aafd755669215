import { failed, ok, type Check } from '../check.ts';
import { ofEngine } from '../engine.ts';

/** On these the snapshots of a container runtime inside a container cannot be stored. */
const UNFIT_DRIVERS = ['btrfs', 'zfs', 'vfs', 'aufs'];
const EXPECTED = 'Linux containers on a storage driver on which a cluster can store its own (overlay2)';

export const dockerPlatform: Check = {
  name: 'docker-platform',
  substrate: 'k3s',
  reason: 'the cluster runs containers of its own inside its container',
  examine: (examination) =>
    ofEngine(examination, EXPECTED, ({ info: { OSType, Architecture, Driver } }) => {
      const found = `${OSType} on ${Architecture}, storage driver ${Driver}`;
      if (OSType !== 'linux') return failed(found, EXPECTED, 'switch Docker to Linux containers');
      if (UNFIT_DRIVERS.includes(Driver)) return failed(found, EXPECTED, 'set "storage-driver": "overlay2" in the Engine\'s daemon.json, on a disk with ext4 or xfs');
      return ok(found, EXPECTED);
    }),
};
