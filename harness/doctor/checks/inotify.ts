import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { failed, ok, unknown, warning, type Check, type Finding } from '../check.ts';
import { ofEngine, sharesKernel } from '../engine.ts';

/** A K3s server with its kubelet, its API server and its runtime; the pinned one stays below the second of each. */
const LEAST = { instances: 32, watches: 2_048 };
const COMFORTABLE = { instances: 64, watches: 8_192 };
const EXPECTED = `at least ${COMFORTABLE.instances} inotify instances left for root, and ${COMFORTABLE.watches} watches`;
const CURE = 'sudo sysctl -w fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288 (and the same in /etc/sysctl.d/, to last)';

export interface InotifyLimits {
  readonly instances: number;
  readonly watches: number;
  /** Instances that root's processes hold; null where they cannot be counted. */
  readonly instancesInUse: number | null;
}

export const inotify: Check = {
  name: 'inotify',
  substrate: 'k3s',
  reason: 'the kubelet, the API server and the container runtime watch files; without instances K3s ends with "too many open files"',
  examine: (examination) =>
    ofEngine(examination, EXPECTED, async ({ info }) => {
      if (!sharesKernel(info)) return unknown('the Engine has a kernel of its own', EXPECTED, `look there: sysctl fs.inotify; ${CURE}`);
      return judgeInotify(await readLimits());
    }),
};

export function judgeInotify({ instances, watches, instancesInUse }: InotifyLimits): Finding {
  const left = instances - (instancesInUse ?? 0);
  const found = `max_user_instances ${instances} (${instancesInUse === null ? 'how many are in use cannot be counted' : `${instancesInUse} in use`}), max_user_watches ${watches}`;
  if (left < LEAST.instances || watches < LEAST.watches) return failed(found, EXPECTED, CURE);
  if (left < COMFORTABLE.instances || watches < COMFORTABLE.watches) return warning(found, EXPECTED, CURE);
  return ok(found, EXPECTED);
}

async function readLimits(): Promise<InotifyLimits> {
  const limit = async (name: string) => Number(await readFile(`/proc/sys/fs/inotify/${name}`, 'utf8'));
  const [instances, watches, instancesInUse] = await Promise.all([limit('max_user_instances'), limit('max_user_watches'), process.getuid?.() === 0 ? countInstances() : null]);
  return { instances, watches, instancesInUse };
}

/** A limit for each user, and the cluster's processes are root's. What ends meanwhile is not counted. */
async function countInstances(): Promise<number> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const counts = await Promise.all(
    processes.map(async (pid) => {
      try {
        if ((await stat(`/proc/${pid}`)).uid !== 0) return 0;
        const links = await Promise.all((await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
        return links.filter((link) => link === 'anon_inode:inotify').length;
      } catch {
        return 0;
      }
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
