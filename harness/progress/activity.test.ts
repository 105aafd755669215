import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Activity, expecting } from './activity.ts';

describe('what a run does and waits for', () => {
  test('is known while it goes on, each wait in the task that asked for it, however many go on side by side', async () => {
    const activity = new Activity();
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const work = Promise.all([
      activity.perform('step one', () => expecting({ expected: 'a Pod', deadlineMs: 5_000 }, (wait) => (wait.saw('no Pod'), one.promise))),
      activity.perform('step other', () => activity.perform('part', () => expecting({ expected: 'a line' }, () => other.promise))),
    ]);
    assert.deepEqual(activity.running.map(({ name, parent }) => [name, parent?.name ?? null]), [['step one', null], ['step other', null], ['part', 'step other']]);
    assert.deepEqual(activity.waits.map(({ expected, deadlineMs, lastSeen, task }) => [expected, deadlineMs, lastSeen?.text ?? null, task?.name]), [['a Pod', 5_000, 'no Pod', 'step one'], ['a line', null, null, 'part']]);
    one.resolve();
    other.resolve();
    await work;
    assert.deepEqual([activity.running, activity.waits], [[], []]);
    assert.ok(activity.tasks.every(({ endedMs, hasFailed }) => endedMs !== null && !hasFailed));
  });

  test('an error is known by where it came up first, with what was seen at that moment, also as the cause of another', async () => {
    const activity = new Activity();
    const state = { text: 'Pending' };
    const late = new Error('too late');
    const thrown: unknown = await activity
      .perform('step one', () =>
        activity.perform('part', () =>
          expecting({ expected: 'a Pod to run', deadlineMs: 1 }, (wait) => {
            wait.saw(() => state.text);
            return Promise.reject(late);
          }),
        ),
      )
      .catch((error: unknown) => new Error('the step failed', { cause: error }));
    state.text = 'gone';
    const [blame, ...others] = activity.blamesOf(thrown);
    assert.deepEqual(others, []);
    assert.deepEqual([blame?.task?.name, blame?.task?.parent?.name, blame?.wait?.expected, blame?.wait?.lastSeen?.text], ['part', 'step one', 'a Pod to run', 'Pending']);
    assert.ok(activity.tasks.every(({ hasFailed }) => hasFailed));
  });

  test('when something ends everything, each wait that it called off is told', async () => {
    const activity = new Activity();
    const ending = new AbortController();
    const untilEnd = (expected: string): Promise<never> => expecting({ expected }, () => new Promise((_, reject) => ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error))));
    const work = Promise.allSettled([activity.perform('step main', () => untilEnd('a session')), activity.perform('beside', () => untilEnd('a probe'))]);
    const death = new Error('the platform died');
    ending.abort(death);
    await work;
    assert.deepEqual(activity.blamesOf(death).map(({ task, wait }) => [task?.name, wait?.expected]), [['step main', 'a session'], ['beside', 'a probe']]);
  });

  test('a task that is given up while a part of it still waits is told with that wait', async () => {
    const activity = new Activity();
    const late = new Error('the step took too long');
    await assert.rejects(activity.perform('step one', () => Promise.race([expecting({ expected: 'an answer' }, () => new Promise(() => undefined)), Promise.reject(late)])));
    assert.equal(activity.blamesOf(late)[0]?.wait?.expected, 'an answer');
  });

  test('what was seen does nothing to a terminal, and gives no secret away', async () => {
    const activity = new Activity();
    const seen = async (text: string): Promise<string | undefined> => {
      const error = new Error('no');
      await assert.rejects(activity.wait({ expected: 'x' }, (wait) => (wait.saw(text), Promise.reject(error))));
      return activity.blamesOf(error)[0]?.wait?.lastSeen?.text;
    };
    assert.equal(await seen('red \u001b[31mtext\u001b[0m\u001b]0;title\u0007\r\nand \u202eturned\u009b2J'), 'red text / and  turned');
    assert.match((await seen(`token ql3w_live_${'A'.repeat(43)}`)) ?? '', /withheld/);
    assert.equal((await seen('x'.repeat(100_000)))?.length, 2_001);
  });
});
