import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STEPS } from '../contract/step-catalogue.ts';
import { Activity, expecting } from '../progress/activity.ts';
import { accountOf } from './failure-account.ts';

const never = (signal: AbortSignal): Promise<never> => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** A step of the contract and the probes beside it, both waiting. */
function besides(activity: Activity, signal: AbortSignal): Promise<unknown> {
  return Promise.allSettled([
    activity.perform('side probes', () => activity.perform('probe self-approval', () => expecting({ expected: 'an outcome' }, () => never(signal)))),
    activity.perform('step session-1', () => expecting({ expected: 'a heartbeat', deadlineMs: 60_000 }, (wait) => (wait.saw('registered'), never(signal)))),
  ]);
}

describe('the account of a failure', () => {
  test('is of the one that failed: its step, what it expected, what it last saw, since when', async () => {
    const activity = new Activity();
    const late = new Error('late');
    await activity.perform('step generation-2', () => activity.perform('part', () => expecting({ expected: 'a Pod to run', deadlineMs: 5 }, (wait) => (wait.saw('Pending'), Promise.reject(late))))).catch(() => undefined);
    const { step, expectation, alsoWaiting } = accountOf(activity, { errors: [late, late], isCalledOff: false });
    assert.deepEqual([step?.id, step?.title], ['generation-2', STEPS['generation-2'].sentence]);
    assert.deepEqual([expectation?.expected, expectation?.lastSeen?.text, expectation?.deadlineMs, expectation?.by], ['a Pod to run', 'Pending', 5, 'part']);
    assert.deepEqual(alsoWaiting, []);
  });

  test('is of the probes when they failed, although a step of the contract was called off by it', async () => {
    const activity = new Activity();
    const ending = new AbortController();
    const wrong = new Error('the probe went wrong');
    const probing = activity.perform('side probes', () => activity.perform('probe self-approval', () => expecting({ expected: 'an outcome' }, () => Promise.reject(wrong)))).catch((error: unknown) => ending.abort(error));
    await Promise.allSettled([probing, activity.perform('step session-1', () => expecting({ expected: 'a heartbeat' }, () => never(ending.signal)))]);
    const { step, expectation, alsoWaiting } = accountOf(activity, { errors: [wrong], isCalledOff: false });
    assert.deepEqual([step?.id, expectation?.expected, alsoWaiting.map(({ expected }) => expected)], ['side probes', 'an outcome', ['a heartbeat']]);
  });

  test('is of the contract’s step when both were called off from outside', async () => {
    const activity = new Activity();
    const ending = new AbortController();
    const waiting = besides(activity, ending.signal);
    const death = new Error('a container died');
    activity.callOff(death);
    ending.abort(death);
    await waiting;
    const { step, expectation, alsoWaiting } = accountOf(activity, { errors: [death], isCalledOff: true });
    assert.deepEqual([step?.id, expectation?.expected, expectation?.lastSeen?.text, alsoWaiting.map(({ expected }) => expected)], ['session-1', 'a heartbeat', 'registered', ['an outcome']]);
  });

  test('is of what was waited for at the moment of the call, not of who ends first or with an error of its own', async () => {
    const activity = new Activity();
    const [ending, late] = [new AbortController(), Promise.withResolvers<never>()];
    const death = new Error('a container died');
    const thrown = new Error('aborted');
    const slow = activity.perform('step generation-4', () => expecting({ expected: 'the host to execute' }, (wait) => (wait.saw('event started'), late.promise))).catch(() => undefined);
    const quick = activity.perform('side probes', () => never(ending.signal).catch(() => Promise.reject(thrown))).catch(() => undefined);
    activity.callOff(death);
    ending.abort(death);
    await quick;
    const { step, expectation } = accountOf(activity, { errors: [thrown, death], isCalledOff: true });
    assert.deepEqual([step?.id, expectation?.expected, expectation?.lastSeen?.text], ['generation-4', 'the host to execute', 'event started']);
    late.reject(new Error('end'));
    await slow;
  });

  test('is of who looks at the platform that comes up, not of who waits for it to be there', async () => {
    const activity = new Activity();
    const ending = new AbortController();
    const starting = activity.perform('start the substrate', () => expecting({ expected: 'a node', deadlineMs: 60_000 }, (wait) => (wait.saw('no node yet'), never(ending.signal)))).catch(() => undefined);
    const boot = activity.perform('step boot', () => expecting({ expected: 'the cluster to be there' }, () => never(ending.signal))).catch(() => undefined);
    const death = new Error('a container died');
    activity.callOff(death);
    ending.abort(death);
    await Promise.all([starting, boot]);
    const { step, expectation, alsoWaiting } = accountOf(activity, { errors: [death], isCalledOff: true });
    assert.deepEqual([step?.id, expectation?.expected, expectation?.lastSeen?.text, alsoWaiting.map(({ expected }) => expected)], ['boot', 'a node', 'no node yet', ['the cluster to be there']]);
  });

  test('is of what goes on when nobody knows the error, and of nothing before the first step', async () => {
    const activity = new Activity();
    assert.deepEqual(accountOf(activity, { errors: [new Error('x')], isCalledOff: false }), { step: null, expectation: null, alsoWaiting: [] });
    const ending = new AbortController();
    const waiting = besides(activity, ending.signal);
    assert.equal(accountOf(activity, { errors: ['a text'], isCalledOff: false }).step?.id, 'session-1');
    ending.abort(new Error('end'));
    await waiting;
  });
});
