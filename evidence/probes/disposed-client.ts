import { requestsBy } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { DELIVERY, PROBE_DELIVERY } from '../identities.ts';
import { instantMs } from '../instants.ts';
import { judged, rule } from '../verdict.ts';

/** A client kept beyond its session threw, and nothing of the call reached the API server. */
export const disposedClient = judged((run: ObservedRun) => {
  const result = probeResult(run, 'disposed-client');
  const disposedMs = instantMs(result?.facts.disposedAt);
  const reached = requestsBy(run, PROBE_DELIVERY).filter(({ receivedMs }) => receivedMs >= disposedMs + 1 && receivedMs <= (result?.window.toMs ?? NaN));
  const before = [...requestsBy(run, PROBE_DELIVERY), ...requestsBy(run, DELIVERY)].filter(({ receivedMs }) => receivedMs <= disposedMs && receivedMs >= (result?.window.fromMs ?? NaN));
  return [
    rule('the probe was made once and the call threw', result?.facts.threw === true, [result]),
    rule('the client had worked before, within the session', before.length > 0, [result, ...before]),
    rule('no request reached the API server after the disposal', !Number.isNaN(disposedMs) && reached.length === 0, [result, ...reached]),
  ];
});

/** All that a session and what it lends offer: its operation, and what may be done with the delivery. */
const OFFERED = ['discard', 'findStage', 'inventory', 'publish', 'stage', 'targetDigest', 'withDelivery'];

/** Whether neither the session nor what it lends offers a token or a client under any name. */
export const sessionKeepsItsToken = judged((run: ObservedRun) => {
  const result = probeResult(run, 'disposed-client');
  const members = result?.facts.sessionMembers ?? [];
  return [rule('the session offers its operations and nothing beside them', members.join() === OFFERED.join(), [result])];
});
