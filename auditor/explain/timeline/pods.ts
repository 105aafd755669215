import { CONTRACT_NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { deletionRequestOf } from '../../../evidence/facts/audit.ts';
import { dig, textAt } from '../../../evidence/facts/fields.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { annotationOf, podLives, witnessedExitOf, workerPods, type PodLife } from '../../../evidence/facts/pods.ts';
import { tellIdentity } from '../observation-words.ts';
import type { RunClock } from './clock.ts';
import { span } from './make-mark.ts';
import type { CredentialNumber, Lane, Mark } from './mark.ts';

/** Lives of the Worker's Pods as the watch showed them: waiting, running, asked to end. They take turns in two rows. */
export function workers(run: ObservedRun, clock: RunClock): Lane {
  const lives = workerPods(run).map((pod) => life(run, pod, clock));
  const rows = [lives.filter((_, index) => index % 2 === 0).flat(), lives.filter((_, index) => index % 2 === 1).flat()];
  return { id: 'workers', title: 'Worker Pods', witness: 'api-watch', namesBeside: true, rows: rows.filter((row) => row.length > 0) };
}

/** Every other Pod: Jobs, Control, those of the probes. */
export function otherPods(run: ObservedRun, clock: RunClock): Lane {
  const known = new Set(workerPods(run).map(({ uid }) => uid));
  const lives = podLives(run).filter(({ uid }) => !known.has(uid)).flatMap((pod) => life(run, pod, clock));
  return { id: 'other-pods', title: 'Other Pods', witness: 'api-watch', rows: [lives], isPacked: true };
}

function life(run: ObservedRun, pod: PodLife, clock: RunClock): Mark[] {
  const base = { credential: credentialOf(pod), witness: 'api-watch' } as const;
  const [fromMs, toMs] = [clock.at(pod.appeared.at), clock.at(pod.ended?.at)];
  const runs = pod.events.find(({ body }) => dig(body.object, 'status', 'containerStatuses', 0, 'state', 'running') !== undefined);
  const deletion = deletionRequestOf(run, pod);
  const ranMs = Math.min(runs === undefined ? Number.POSITIVE_INFINITY : clock.at(runs.at), Number.isNaN(toMs) ? Number.POSITIVE_INFINITY : toMs);
  const exit = witnessedExitOf(run, pod);
  const how = exit === null ? (pod.ended === null ? 'did not end' : 'was removed, and no exit of it was seen') : `ended with exit code ${exit.exitCode}`;
  return [
    ...span({ ...base, key: `pod/${pod.uid}`, fromMs, toMs, look: 'solid', parts: [{ fromMs, toMs: ranMs, look: 'waiting' }], label: shortName(pod), shortLabel: pod.name.slice(pod.name.lastIndexOf('-') + 1), words: `Pod ${pod.name} ${how}; it ran ${textAt(pod.object, 'spec', 'containers', 0, 'image')}`, seqs: [pod.appeared, pod.ended, exit] }),
    ...(deletion === null ? [] : span({ ...base, key: `ending/${pod.uid}`, fromMs: Math.max(fromMs, clock.since(deletion.receivedMs)), toMs, look: 'ending', label: '', words: `Pod ${pod.name} was asked to end by ${tellIdentity(deletion.identity)}`, seqs: [deletion, pod.ended] })),
  ];
}

function credentialOf(pod: PodLife): CredentialNumber {
  const found = pod.namespace === CONTRACT_NAMES.workerNamespace ? CONTRACT_NAMES.credentialIds.findIndex((id) => id === annotationOf(pod, 'credentialId')) : -1;
  return (found + 1) as CredentialNumber;
}

/** Names of the contract are long; what differs is at their end. */
function shortName({ name, namespace }: PodLife): string {
  const known: readonly (readonly [string, string])[] = [
    [CONTRACT_NAMES.executorReplayJob, 'replay Job'],
    [CONTRACT_NAMES.executorJob, 'executor Job'],
    [CONTRACT_NAMES.controlDeployment, 'Control'],
    [PROBE_NAMES.deployment, 'probe'],
    [CONTRACT_NAMES.deployment, ''],
  ];
  const [prefix, words] = known.find(([each]) => name.startsWith(`${each}-`)) ?? ['', namespace === PROBE_NAMES.workerNamespace ? 'probe' : ''];
  return `${words} ${prefix === '' ? name : name.slice(prefix.length + 1)}`.trim();
}
