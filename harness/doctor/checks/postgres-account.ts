import { tmpdir } from 'node:os';
import { packagedBinaries } from '../../database/local-server-home.ts';
import { isReachableByAll } from '../../run/reachable-by-all.ts';
import { failed, ok, type Check, type Finding } from '../check.ts';

const EXPECTED = "PostgreSQL's packaged binaries, and for root a folder that an account without rights can enter";

export const postgresAccount: Check = {
  name: 'postgres-account',
  substrate: 'embedded',
  reason: 'PostgreSQL refuses to run as root: root starts it as the account 65534, and that must reach its data',
  async examine() {
    let binaries;
    try {
      binaries = packagedBinaries();
    } catch (error) {
      return [failed((error as Error).message, EXPECTED, 'rm -rf node_modules, and start again with `npx ql3-evidence rehearse`; on a platform without these binaries only the k3s substrate can run')];
    }
    if (process.getuid?.() !== 0) return [ok(`${binaries}, run by this user`, EXPECTED)];
    const parents = await Promise.all([tmpdir(), '/tmp', '/var/tmp'].map(async (parent) => ((await isReachableByAll(parent).catch(() => false)) ? parent : null)));
    return [judgeParents(binaries, parents.find((parent) => parent !== null) ?? null)];
  },
};

export function judgeParents(binaries: string, parent: string | null): Finding {
  return parent === null
    ? failed('this is root, and none of TMPDIR, /tmp and /var/tmp can be entered by others', EXPECTED, 'chmod 1777 /tmp, or run as another user than root')
    : ok(`${binaries}, run by 65534 with its data below ${parent}`, EXPECTED);
}
