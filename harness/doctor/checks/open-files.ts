import { readFile } from 'node:fs/promises';
import { ok, unknown, warning, type Check, type Finding } from '../check.ts';

const LEAST = 1_024;
const EXPECTED = `${LEAST} open files`;

export const openFiles: Check = {
  name: 'open-files',
  substrate: 'embedded',
  reason: 'watches, logs and database connections of all Pods are held by a few processes',
  async examine() {
    // Node.js raises its own soft limit to the hard one
    const line = (await readFile('/proc/self/limits', 'utf8').catch(() => '')).split('\n').find((each) => each.startsWith('Max open files'));
    const limit = line?.trim().split(/\s{2,}/)[1];
    return [limit === undefined ? unknown('no /proc here to tell', EXPECTED) : judgeOpenFiles(limit)];
  },
};

export function judgeOpenFiles(limit: string): Finding {
  return limit === 'unlimited' || Number(limit) >= LEAST ? ok(limit, EXPECTED) : warning(limit, EXPECTED, `ulimit -n ${4 * LEAST}`);
}
