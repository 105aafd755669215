import { CALLER_DRIVEN, EXECUTION_MODEL_LABEL } from '../annotations.ts';
import { actionChains } from '../facts/actions.ts';
import { firstJob, replayJob, type ExecutorJob } from '../facts/executor-jobs.ts';
import { numberAt } from '../facts/fields.ts';
import { builtImages } from '../facts/images.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { exitOf, imageIdsOf, restartOf } from '../facts/pods.ts';
import { textIn } from '../facts/rows.ts';
import { judged, rule, type Rule } from '../verdict.ts';

/** Generation 3 was executed by a Job's own Pod, of the built image, once, driven by its caller and ending with exit code 0. */
export const realCallerDrivenExecutorJob = judged((run: ObservedRun) => {
  const first = firstJob(run);
  const dispatch = actionChains(run)[2]?.dispatch ?? null;
  return [
    ...jobRules(run, 'first', first),
    ...jobRules(run, 'replay', replayJob(run)),
    rule('the first Job printed that it published the dispatch of generation 3 with a token request',
      first.output !== null && first.output.tokenRequestUsed && first.output.executionStatus === 'succeeded' && first.output.deliveryStatus === 'published' && first.output.dispatchId === textIn(dispatch, 'dispatch_id'),
      [first.outputLine, dispatch]),
  ];
});

function jobRules(run: ObservedRun, which: string, { job, pods, pod, outputLine, output }: ExecutorJob): Rule[] {
  const built = builtImages(run).get('admin');
  const exit = exitOf(pod);
  return [
    rule(`the ${which} Job has one Pod`, job !== null && pods.length === 1 && pod?.object.metadata.ownerReferences?.[0]?.uid === job.body.object.metadata.uid, [job, pod]),
    rule(`the ${which} Job never retries`, numberAt(job?.body.object, 'spec', 'backoffLimit') === 0, [job]),
    rule(`the ${which} Job is labelled as driven by its caller`, job?.body.object.metadata.labels?.[EXECUTION_MODEL_LABEL] === CALLER_DRIVEN, [job]),
    rule(`the ${which} Job's Pod ran the image that was built`, built !== undefined && imageIdsOf(pod).join() === built.body.imageId, [built, ...(pod?.events ?? [])]),
    rule(`the ${which} Job's container ended with exit code 0`, exit?.exitCode === 0, [exit]),
    rule(`the ${which} Job succeeded once, and its container never began again`, numberAt(job?.body.object, 'status', 'succeeded') === 1 && (numberAt(job?.body.object, 'status', 'failed') ?? 0) === 0 && restartOf(pod) === null, [job, restartOf(pod)]),
    rule(`the ${which} Job printed the executor's line`, output !== null, [outputLine]),
  ];
}
