import { STEP_IDS } from '../../evidence/observation.ts';
import { STEPS, type StepPhase } from '../contract/step-catalogue.ts';
import { isWithin, type Activity, type Task } from './activity.ts';
import type { Forecast } from './forecast.ts';
import { inSeconds } from './in-seconds.ts';
import { phaseOf, PHASE_TITLES, stepIdOf, titleOf } from './task-titles.ts';
import type { Wait } from './wait.ts';

/** One row of the live part of the list: what state it is in, and its text. */
export interface Row {
  readonly state: 'running' | 'pending' | 'detail' | 'total';
  readonly text: string;
}

const PHASES = Object.keys(PHASE_TITLES) as StepPhase[];

/** What goes on, what each of it waits for and last saw; what is still to come in this phase and after it; how long yet. */
export function liveRows(activity: Activity, forecast: Forecast): readonly Row[] {
  const { running } = activity;
  const roots = running.filter(({ parent }) => !running.some((task) => isWithin(parent, task) && parent !== null));
  return [...roots.flatMap((root) => rowsOf(root, activity)), ...(activity.isGivenUp ? [] : pendingRows(activity)), totalRow(activity, forecast)];
}

function rowsOf(root: Task, activity: Activity): Row[] {
  const parts = activity.running.filter((task) => task !== root && isWithin(task, root));
  const own = activity.waits.filter(({ task }) => task === root);
  return [
    { state: 'running', text: timed(titleOf(root), activity.elapsedMs - root.startedMs) },
    ...own.flatMap((wait) => waitRows(wait, activity)),
    ...parts.flatMap((part) => [detail(timed(titleOf(part), activity.elapsedMs - part.startedMs)), ...activity.waits.filter(({ task }) => task === part).flatMap((wait) => waitRows(wait, activity))]),
  ];
}

function waitRows(wait: Wait, activity: Activity): Row[] {
  const { expected, waitedMs, deadlineMs, lastSeen } = wait;
  const bound = deadlineMs === null ? '' : ` of at most ${inSeconds(deadlineMs, 0)}`;
  const rows = [detail(`waits for ${expected} (${inSeconds(waitedMs)}${bound})`)];
  if (lastSeen !== null) rows.push(detail(`last seen ${inSeconds(activity.elapsedMs - lastSeen.atMs)} ago: ${lastSeen.text}`));
  return rows;
}

function pendingRows({ tasks }: Activity): Row[] {
  const begun = new Set(tasks.map(stepIdOf));
  const latest = tasks.map(phaseOf).findLast((phase) => phase !== null) ?? 'platform';
  const pending = (phase: StepPhase): readonly string[] => STEP_IDS.filter((id) => STEPS[id].phase === phase && !begun.has(id)).map((id) => STEPS[id].sentence);
  const later = PHASES.slice(PHASES.indexOf(latest) + 1).map((phase) => ({ phase, count: pending(phase).length })).filter(({ count }) => count > 0);
  return [...pending(latest), ...later.map(({ phase, count }) => `${PHASE_TITLES[phase]} (${count} ${count === 1 ? 'step' : 'steps'})`)].map((text) => ({ state: 'pending', text }));
}

function totalRow(activity: Activity, forecast: Forecast): Row {
  const remainingMs = activity.isGivenUp ? null : forecast.remainingMs(activity);
  return { state: 'total', text: `${inSeconds(activity.elapsedMs, 0)}${remainingMs === null ? '' : `, about ${inSeconds(remainingMs, 0)} to go`}` };
}

function detail(text: string): Row {
  return { state: 'detail', text };
}

function timed(title: string, ms: number): string {
  return `${title}  ${inSeconds(ms)}`;
}
