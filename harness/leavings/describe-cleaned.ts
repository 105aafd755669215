import { tmpdir } from 'node:os';
import type { Cleaned } from './clean-leavings.ts';
import type { Leaving } from './leaving.ts';

/** What was done, for people; of nothing, where it was looked for: what lies in another TMPDIR is not seen. */
export function describeCleaned({ removed, inUse, kept, notMeant, failures, dockerSkipped }: Cleaned, dryRun: boolean, folder: string = tmpdir()): string {
  const sections = [
    ...section(dryRun ? 'would be removed' : 'removed', removed.map((leaving) => lineOf(leaving, isGone(leaving)))),
    ...section('left alone, since its owner may still use it', inUse.map((leaving) => lineOf(leaving, leaving.ownerPid === null ? 'its owner is not known' : `process ${leaving.ownerPid} may live`))),
    ...section('left alone, since a failed run was to keep it; npx ql3-evidence clean --run=UUID removes it', kept.map((leaving) => lineOf(leaving, isGone(leaving)))),
    ...section('could not be removed', failures.map(({ leaving, reason }) => lineOf(leaving, reason.replaceAll('\n', '; ')))),
    ...(dockerSkipped === null ? [] : [`Docker was not looked at: ${dockerSkipped}`]),
  ];
  const isNothing = removed.length + inUse.length + kept.length + failures.length === 0;
  const nothing = notMeant === 0 ? `nothing is left of any run in ${folder}${dockerSkipped === null ? ' or in Docker' : ''}` : `nothing is left of what was asked for; of other runs, or younger, are ${notMeant}, which \`clean --dry-run\` lists`;
  return [...(isNothing ? [nothing] : []), ...sections].join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function lineOf({ kind, name, runId, createdAt }: Leaving, why: string): string {
  const of = [...(runId === null ? [] : [`run ${runId}`]), ...(createdAt === null ? [] : [`made ${createdAt}`]), why];
  return `${kind.padEnd(9)}  ${name}  (${of.join(', ')})`;
}

function isGone({ ownerPid }: Leaving): string {
  return ownerPid === null ? 'its owner is gone' : `its process ${ownerPid} is gone`;
}
