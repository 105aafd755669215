import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { concerns, isWrite, requests, requestsBy, succeeded, wasLeftOpen, within, type ObjectName, type Request } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult, type ProbeResult } from '../facts/probe-results.ts';
import { publishedAnnotation, statesOf } from '../facts/publications.ts';
import { numberIn, rowsOf, rowsWhere, type Row } from '../facts/rows.ts';
import { PROBE_DELIVERY } from '../identities.ts';
import { rule, verdict, type Rule, type Verdict } from '../verdict.ts';

/** A delivery lost the race for one object: the API server said 409, and the delivery converged on what it found or gave up. */
export function contestVerdict(run: ObservedRun, probe: 'competing-writer-secret' | 'competing-writer-deployment', object: ObjectName): Verdict {
  const result = probeResult(run, probe);
  const writes = requests(run).filter((request) => result !== null && within(request, result.window) && concerns(request, object) && isWrite(request));
  const refused = writes.find((request) => request.identity === PROBE_DELIVERY && request.event.verb === 'update' && request.event.code === 409);
  const rival = writes.find((request) => request.identity !== PROBE_DELIVERY && succeeded(request) && request.receivedMs <= (refused?.completedMs ?? Number.NaN));
  return verdict([
    rule('the probe was made once', result !== null, [result]),
    rule('the API server answered a replace of the delivery with 409', refused !== undefined && result?.facts.conflictStatus === 409, [result, refused]),
    rule('another writer had written before, over no older state than it had read', rival !== undefined && !(Number(refused?.event.resourceVersion) > Number(rival.event.resourceVersion ?? Number.NaN)), [rival, refused]),
    rule('the delivery was committed within the attempt, and published after it if it refused', isOfAttempt(run, result), [result, ...deliveryRows(run, result?.facts.deliveryId)]),
    everyDeliveryHasItsWrite(run, object),
    rule('the delivery converged or refused', result !== null && endedWell(run, result, writes, refused), [result, ...writes, ...publishedRows(run, result?.facts.deliveryId)]),
  ]);
}

/** What the rival and the administrator write carries no delivery. */
function everyDeliveryHasItsWrite(run: ObservedRun, object: ObjectName): Rule {
  const states = statesOf(run, object);
  const deliveries = states.slice(1).filter((state, index) => publishedAnnotation(state.body.object, 'deliveryId') !== publishedAnnotation(states[index]?.body.object, 'deliveryId'));
  const writes = requestsBy(run, PROBE_DELIVERY).filter((request) => concerns(request, object) && request.event.verb === 'update' && (succeeded(request) || wasLeftOpen(request)));
  return rule('each delivery that the watch shows was written by the delivery identity', deliveries.length <= writes.length, [...deliveries, ...writes]);
}

function isOfAttempt(run: ObservedRun, result: ProbeResult<'competing-writer-secret'> | null): boolean {
  const { fromMs, toMs } = result?.window ?? { fromMs: Number.NaN, toMs: Number.NaN };
  const rows = deliveryRows(run, result?.facts.deliveryId);
  const committedMs = numberIn(rows[0], 'credential_committed_at_ms');
  const tooEarly = publishedRows(run, result?.facts.deliveryId).filter((row) => numberIn(row, 'published_at_ms') < toMs - 2 * CLOCK_BOUND_MS);
  return committedMs >= fromMs && committedMs <= toMs && (result?.facts.ending !== 'refused' || tooEarly.length === 0);
}

function endedWell(run: ObservedRun, { facts }: ProbeResult<'competing-writer-secret'>, writes: readonly Request[], refused: Request | undefined): boolean {
  const forced = writes.filter((request) => request.identity === PROBE_DELIVERY && succeeded(request) && request.receivedMs > (refused?.receivedMs ?? Number.NaN));
  const published = publishedRows(run, facts.deliveryId).length === 1;
  if (facts.ending === 'converged') return published && forced.length === 0;
  return facts.ending === 'refused' && forced.length === 0 && facts.errorCode === 'WORKER_CREDENTIAL_DELIVERY_CONFLICT';
}

function deliveryRows(run: ObservedRun, deliveryId: string | undefined): readonly Row[] {
  return rowsWhere(rowsOf(run, 'worker_credential_deliveries'), 'delivery_id', deliveryId ?? null);
}

/** Rows that say that the delivery was published. */
export function publishedRows(run: ObservedRun, deliveryId: string | null | undefined): readonly Row[] {
  return rowsWhere(deliveryRows(run, deliveryId ?? undefined), 'state', 'published');
}

/** Replaces of the object by the probe's delivery that the API server carried out while the probe lasted. */
export function carriedOut(run: ObservedRun, result: ProbeResult<'competing-writer-secret' | 'crash-between-secret-and-deployment' | 'lost-replace-response'> | null, object: ObjectName): readonly Request[] {
  return requests(run).filter(
    (request) => result !== null && within(request, result.window) && request.identity === PROBE_DELIVERY && concerns(request, object) && request.event.verb === 'update' && succeeded(request),
  );
}
