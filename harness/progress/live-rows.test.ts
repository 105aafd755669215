import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STEP_IDS } from '../../evidence/observation.ts';
import { STEPS } from '../contract/step-catalogue.ts';
import { Activity, expecting } from './activity.ts';
import { Forecast } from './forecast.ts';
import { LiveList } from './live-list.ts';
import { liveRows } from './live-rows.ts';
import { PHASE_TITLES } from './task-titles.ts';

/** Two things go on side by side in the middle of a run; gives what a look at it then is. */
async function inTheMiddle(look: (activity: Activity) => void): Promise<void> {
  const activity = new Activity();
  for (const id of STEP_IDS.slice(0, STEP_IDS.indexOf('session-1'))) await activity.perform(`step ${id}`, () => Promise.resolve());
  await Promise.all([
    activity.perform('side probes', () => activity.perform('probe self-approval', () => expecting({ expected: 'an outcome' }, () => Promise.resolve()))),
    activity.perform('step session-1', () =>
      activity.perform('heartbeat w-1', () =>
        expecting({ expected: 'a heartbeat', deadlineMs: 60_000 }, (wait) => {
          wait.saw('registered');
          look(activity);
          return Promise.resolve();
        }),
      ),
    ),
  ]);
}

describe('the list of a run', () => {
  test('tells what goes on side by side with its parts and waits, then what is still to come, then the time', async () => {
    const past = { totalMs: 60_000, steps: { 'session-1': { startMs: 30_000, endMs: 40_000 } } };
    await inTheMiddle((activity) => {
      const rows = liveRows(activity, new Forecast([past])).map(({ state, text }) => `${state}: ${text.replaceAll(/\d+\.\d s/g, 'T s').replace(/^\d+ s, about (2\d|30) s/, 'T s, about 30 s')}`);
      assert.deepEqual(rows, [
        'running: side probes  T s',
        'detail: probe self-approval  T s',
        'detail: waits for an outcome (T s)',
        `running: ${STEPS['session-1'].sentence}  T s`,
        'detail: heartbeat w-1  T s',
        'detail: waits for a heartbeat (T s of at most 60 s)',
        'detail: last seen T s ago: registered',
        ...(['generation-4', 'product-identity-b'] as const).map((id) => `pending: ${STEPS[id].sentence}`),
        `pending: ${PHASE_TITLES.end} (3 steps)`,
        'total: T s, about 30 s to go',
      ]);
    });
  });

  test('every step of the contract belongs to one phase, and the phases come in the order of the steps', () => {
    const phases = STEP_IDS.map((id) => STEPS[id].phase).filter((phase, index, all) => phase !== all[index - 1]);
    assert.deepEqual(phases, Object.keys(PHASE_TITLES).filter((phase) => (phases as readonly string[]).includes(phase)));
  });

  test('never fills more than the screen: what goes on comes before what is to come, and the time is always there', async () => {
    let written = '';
    const screen = { columns: 60, rows: 6, write: (text: string) => (written = text) };
    await inTheMiddle((activity) => {
      const list = new LiveList({ activity, forecast: new Forecast([]), screen, isUnicode: false });
      list.say('a line');
      const lines = written.slice(written.indexOf('a line\n') + 'a line\n'.length).split('\n').slice(0, -1);
      assert.equal(lines.length, 5);
      assert.match(lines[0] ?? '', /\* side probes/);
      assert.match(lines.at(-1) ?? '', /\d s/);
      assert.doesNotMatch(written, /[●○✓]/, 'a terminal without UTF-8 gets ASCII');
      list.end();
    });
  });
});
