import { textAt } from '../facts/fields.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { controlPods, wasReady } from '../facts/pods.ts';
import { probeResult } from '../facts/probe-results.ts';
import { judged, rule } from '../verdict.ts';
import { egressRules } from './egress-attempt.ts';

/** Where nothing listens nobody is reached: the destination is the ingress, which served the Workers. */
export const egressOutside = judged((run: ObservedRun) => {
  const result = probeResult(run, 'egress-outside');
  const listener = controlPods(run).find((pod) => textAt(pod.object, 'status', 'podIP') === result?.facts.address && wasReady(pod) !== null);
  return [...egressRules(run, 'egress-outside'), rule('something was listening there', listener !== undefined, [result, listener])];
});
