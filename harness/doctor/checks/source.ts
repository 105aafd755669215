import { stat } from 'node:fs/promises';
import { HarnessError } from '../../run/errors.ts';
import { usesPinsOnly } from '../../substrate/k3s/platform-images.ts';
import type { SourceTree } from '../../substrate/substrate.ts';
import { failed, ok, warning, type Check, type Finding } from '../check.ts';
import { octal } from '../quantities.ts';

const CLEAN = 'a clone without changes that no commit holds';
const OWN = 'files that only their owner can change';
const COMMIT = 'commit or remove what `git status` shows';

export const source: Check = {
  name: 'source',
  substrate: 'both',
  reason: 'the report names the revision that its images were built from',
  async examine(examination) {
    const tree = await examination.source().catch((error: unknown) => error);
    if (tree instanceof HarnessError) return [{ ...failed(tree.message, CLEAN, 'install git, and run from a clone: git clone keeps the history that says which revision this is'), of: 'revision' }];
    const { revision, clean, directory } = tree as SourceTree;
    const { mode } = await stat(directory);
    return [
      { ...judgeTree(revision, clean, false), of: 'revision', substrate: 'embedded' },
      { ...judgeTree(revision, clean, usesPinsOnly()), of: 'revision', substrate: 'k3s' },
      { ...judgeMode(directory, mode), of: 'modes' },
    ];
  },
};

/** Release evidence of a dirty tree is refused; a rehearsal says so in its report. */
export function judgeTree(revision: string, clean: boolean, isRelease: boolean): Finding {
  const found = `${revision.slice(0, 12)}, ${clean ? 'clean' : 'with changes'}`;
  if (clean) return ok(found, CLEAN);
  return isRelease ? failed(found, CLEAN, `${COMMIT}; release evidence is refused otherwise`) : warning(found, CLEAN, `${COMMIT}; the rehearsal says in its report that its revision does not describe what ran`);
}

export function judgeMode(directory: string, mode: number): Finding {
  const found = `${directory}, mode ${octal(mode)}`;
  return (mode & 0o002) === 0 ? ok(found, OWN) : warning(`${found}: everybody can change what is released`, OWN, `chmod -R o-w ${directory}`);
}
