import { findFolders } from '../../leavings/find-folders.ts';
import { findInstallLocks } from '../../leavings/find-install-locks.ts';
import type { Found } from '../../leavings/leaving.ts';
import { ok, skipped, warning, type Check, type Finding } from '../check.ts';

const EXPECTED = 'nothing of runs whose process is gone';
const SHOWN = 6;

/** What `clean` would remove, found by the same means. */
export const leavings: Check = {
  name: 'leavings',
  substrate: 'both',
  reason: 'what a killed run has left takes disk and memory, and holds names and addresses',
  async examine({ engine }) {
    // an Engine that does not answer is not waited for once more; who rehearses needs no Docker client
    const inDocker = (await engine()) === null ? null : await (await import('../../leavings/find-in-docker.ts')).findInDocker(undefined);
    return [
      { ...judgeLeavings([findFolders(), findInstallLocks()].flatMap(deadOf)), of: 'on this machine' },
      { ...(inDocker === null || inDocker.skipped !== null ? skipped(inDocker?.skipped ?? 'no Docker Engine answers', EXPECTED) : judgeLeavings(deadOf(inDocker))), of: 'in Docker', substrate: 'k3s' },
    ];
  },
};

function deadOf({ leavings: found }: Found): readonly string[] {
  return found.filter(({ inUse }) => !inUse).map(({ kind, name }) => `${kind} ${name}`);
}

export function judgeLeavings(names: readonly string[]): Finding {
  if (names.length === 0) return ok('nothing is left', EXPECTED);
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '';
  return warning(`${names.slice(0, SHOWN).join(', ')}${more}`, EXPECTED, '`npx ql3-evidence clean` removes them; with `--dry-run` it only tells');
}
