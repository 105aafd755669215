import { executorPolicy, intendedEgress, sameEgress } from '../facts/egress-policy.ts';
import { foreignPolicyWrites } from '../facts/foreign-writes.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { egressInside } from '../probes/egress-inside.ts';
import { egressOutside } from '../probes/egress-outside.ts';
import { judged, nothing, rule, ruleOf } from '../verdict.ts';

/** The executor's policy allows three destinations, no ingress, and is enforced: inside was reached, outside was not. Never proven on `embedded`. */
export const executorJobExactNetworkEgress = judged((run: ObservedRun) => {
  const policy = executorPolicy(run);
  const [endpoints, started] = [run.last('platform.endpoints'), run.last('run.started')];
  return [
    rule('the cluster enforces network policies', started !== null && started.body.substrate !== 'embedded', [started]),
    rule('one policy governs the executor Pods, for both directions, and admits nothing', policy !== null && policy.closedToIngress && policy.governsExecutorPods, [policy]),
    rule('its egress is exactly API server, its backend and PostgreSQL', policy !== null && endpoints !== null && sameEgress(policy.egress, intendedEgress(endpoints.body)), [policy, endpoints]),
    nothing('nobody but the administrator made a policy, and nobody changed one', foreignPolicyWrites(run)),
    ruleOf('a destination inside was reached', egressInside(run)),
    ruleOf('a destination outside was not reached', egressOutside(run)),
  ];
});
