import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { productionGracefulDrainToOffline } from '../gates/production-graceful-drain-to-offline.ts';
import { productionSessionReplacement } from '../gates/production-session-replacement.ts';
import { productionWorkerIngressComposition } from '../gates/production-worker-ingress-composition.ts';
import type { Observation, ObservationOf } from '../observation.ts';
import { logged, printed, products, RUN, sessionIds } from '../testing/scenes.ts';
import { renumber } from '../testing/story.ts';
import { ObservedRun } from './observed-run.ts';

type IngressLine = ObservationOf<'ingress.line'>;

/** The last such request of session 3, and behind it the same once more, over the same connection. */
function repeated(operation: string, change: Readonly<Record<string, unknown>>): Observation[] {
  const matches = logged('worker_request', { sessionId: sessionIds[2], operation });
  const request = RUN.findLast((each): each is IngressLine => each.kind === 'ingress.line' && matches(each.body));
  assert.ok(request !== undefined);
  const { podUid, index, line } = request.body;
  const repetition: IngressLine = { ...request, body: { podUid, index: index + 1, line: { ...line, ...change } } };
  const later = RUN.map((each) => (each.kind === 'ingress.line' && each.body.index > index ? { ...each, body: { ...each.body, index: each.body.index + 1 } } : each));
  return renumber(later.toSpliced(request.seq, 0, repetition));
}

const unconfirmed = (log: readonly Observation[]): Observation[] =>
  log.map((each) => (each.kind === 'process.line' && printed(products[2], 'stopped')(each.body) ? { ...each, body: { ...each.body, line: { ...each.body.line, offlineConfirmed: false } } } : each));

describe('a session whose answer was lost', () => {
  it('is registered as recorded when its registration was repeated', () => {
    const run = new ObservedRun(repeated('register', {}));
    for (const gate of [productionSessionReplacement, productionWorkerIngressComposition, productionGracefulDrainToOffline]) assert.deepEqual(gate(run).unmet, []);
  });
  it('ended in order when its Worker does not know it and the repetition was fenced, and not without one', () => {
    const fence = { status: 409, code: 'worker_session_fenced', reason: 'session_offline', version: null, generation: null };
    assert.deepEqual(productionGracefulDrainToOffline(new ObservedRun(unconfirmed(repeated('transition', fence)))).unmet, []);
    assert.equal(productionGracefulDrainToOffline(new ObservedRun(unconfirmed(RUN))).holds, false);
  });
});
