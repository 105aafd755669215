import { identifyProcess, isAlive } from '../../run/process-identity.ts';

const PREFIX = 'io.qinglong.live.';
export const RUN_LABEL = `${PREFIX}run`;
export const OWNER_LABEL = `${PREFIX}owner-pid`;

export const CREATED_LABEL = `${PREFIX}created-at`;

/** On one volume of a run that failed and was to be kept: a label can be given to nothing that is there already. */
export const KEPT_LABEL = `${PREFIX}kept`;

export type Labels = Readonly<Record<string, string>>;

/** On everything that a run makes in Docker: which run, and which process would have to be alive for it to be in use. */
export function labelsOfRun(runId: string): Labels {
  const { pid, startTicks, bootId, pidNamespace, machine } = identifyProcess(process.pid);
  return {
    [RUN_LABEL]: runId,
    [OWNER_LABEL]: String(pid),
    [`${PREFIX}owner-start`]: startTicks ?? '',
    [`${PREFIX}owner-boot`]: bootId ?? '',
    [`${PREFIX}owner-pid-namespace`]: pidNamespace ?? '',
    [`${PREFIX}owner-machine`]: machine ?? '',
    [CREATED_LABEL]: new Date().toISOString(),
  };
}

/** True only when it is certain that the process which made this is gone. Labels that say nothing prove nothing. */
export function isOwnerDead(labels: Labels): boolean {
  const pid = Number(labels[OWNER_LABEL]);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const known = (name: string): string | null => labels[`${PREFIX}owner-${name}`] || null;
  return !isAlive({ pid, startTicks: known('start'), bootId: known('boot'), pidNamespace: known('pid-namespace'), machine: known('machine') });
}
