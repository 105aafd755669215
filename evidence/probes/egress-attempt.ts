import { CONTRACT_NAMES } from '../contract-names.ts';
import { admits, executorPolicy } from '../facts/egress-policy.ts';
import { numberAt, textAt } from '../facts/fields.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { podsByUid } from '../facts/pods.ts';
import { probeResult, type ProbeResult } from '../facts/probe-results.ts';
import { eventLine } from '../facts/process-lines.ts';
import { instantMs } from '../instants.ts';
import { rule, type Rule } from '../verdict.ts';

/** What a connection comes to that was refused on its way, or dropped. */
const KEPT_OUT = ['timeout', 'ETIMEDOUT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'];

/** A Pod that the executor's policy selects knocked at a destination, and printed what came of it. */
export function egressRules(run: ObservedRun, probe: 'egress-inside' | 'egress-outside'): Rule[] {
  const result: ProbeResult<'egress-inside' | 'egress-outside'> | null = probeResult(run, probe);
  const side = probe === 'egress-inside' ? 'inside' : 'outside';
  const expected = side === 'inside';
  const { podUid, address = '', port = 0, reached } = result?.facts ?? {};
  const pod = podsByUid(run).get(podUid ?? '') ?? null;
  const policy = executorPolicy(run);
  const printed = eventLine(run, podUid, 'egress_probed');
  const line = printed?.body.line[side];
  const outcome = textAt(line, 'outcome');
  return [
    rule(`the probe was made once, and the destination was ${expected ? '' : 'not '}reached`, reached === expected, [result]),
    rule('it was made by a Pod that the policy selects', pod !== null && pod.namespace === CONTRACT_NAMES.executorNamespace && policy?.selects(pod) === true, [pod, policy]),
    rule(`the policy ${expected ? 'admits' : 'does not admit'} the destination`, policy !== null && admits(policy, address, port) === expected, [result, policy]),
    rule('the Pod printed that outcome', textAt(line, 'host') === address && numberAt(line, 'port') === port && outcome === result?.outcome && (expected ? outcome === 'connected' : KEPT_OUT.includes(outcome ?? '')), [result, printed]),
    rule('the Pod had printed it when the attempt was over', instantMs(printed?.at) <= (result?.window.toMs ?? NaN), [result, printed]),
  ];
}
