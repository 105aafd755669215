import { executorPolicy, intendedEgress, type Destination } from '../facts/egress-policy.ts';
import { firstJob, replayJob, type ExecutorJob } from '../facts/executor-jobs.ts';
import { numberAt } from '../facts/fields.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { firstImage, projectedTokenSeconds } from '../facts/pod-spec.ts';
import { mustShowQuestions, secondsAsked, tokensOfPod } from '../facts/token-lifetimes.ts';
import type { Draft, DraftSection } from '../report.ts';
import type { ExecutorOutput } from '../observation.ts';

export const callerDrivenExecutorJobSection = fact((run: ObservedRun): DraftSection<'callerDrivenExecutorJob'> => {
  const [first, replay] = [firstJob(run), replayJob(run)];
  const [apiServer, backend, postgres] = destinationsOf(run);
  return {
    image: sameImage(first, replay),
    firstJobName: first.job?.body.object.metadata.name ?? null,
    firstPodUid: first.pod?.uid ?? null,
    firstOutput: outputOf(first),
    replayJobName: replay.job?.body.object.metadata.name ?? null,
    replayPodUid: replay.pod?.uid ?? null,
    replayOutput: outputOf(replay),
    backoffLimit: common(numberAt(first.job?.body.object, 'spec', 'backoffLimit'), numberAt(replay.job?.body.object, 'spec', 'backoffLimit')),
    projectedIssuerTokenSeconds: common(tokenSecondsOf(run, first), tokenSecondsOf(run, replay)),
    apiServerEgressCidr: apiServer?.cidr ?? null,
    apiServerBackendEgressCidr: backend?.cidr ?? null,
    apiServerBackendPort: backend?.port ?? null,
    postgresEgressCidr: postgres?.cidr ?? null,
  };
});

function common<T>(left: T | null, right: T | null): T | null {
  return left === right ? left : null;
}

function sameImage(first: ExecutorJob, replay: ExecutorJob): string | null {
  return common(firstImage(first.pod?.object), firstImage(replay.pod?.object));
}

/** As the Pod's one projection has it and, where the API server wrote it down, as the node asked for. */
function tokenSecondsOf(run: ObservedRun, job: ExecutorJob): number | null {
  const [seconds = null, ...others] = job.pod === null ? [] : projectedTokenSeconds(job.pod.object);
  const asked = secondsAsked(run, tokensOfPod(run, job));
  const agrees = (asked.length > 0 || !mustShowQuestions(run)) && asked.every((each) => each === seconds);
  return others.length === 0 && agrees ? seconds : null;
}

function outputOf({ output }: ExecutorJob): Draft<ExecutorOutput> {
  return output ?? { schemaVersion: null, component: null, event: null, actionRef: null, dispatchId: null, executionStatus: null, deliveryStatus: null, tokenRequestUsed: null };
}

/** The policy's three destinations, told apart by what the run says that each port is for. */
function destinationsOf(run: ObservedRun): readonly (Destination | undefined)[] {
  const endpoints = run.last('platform.endpoints')?.body;
  const egress = executorPolicy(run)?.egress ?? [];
  if (endpoints === undefined || egress.length !== 3) return [];
  return intendedEgress(endpoints).map((intended) => egress.find(({ cidr, port }) => cidr === intended.cidr && port === intended.port));
}
