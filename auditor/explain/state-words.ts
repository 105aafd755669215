import type { State } from './explanation.ts';

export const STATE_SIGNS: Readonly<Record<State, string>> = { holds: '✓', fails: '✕', unproven: '–', open: '?', unjudged: '?' };
export const STATE_TEXTS: Readonly<Record<State, string>> = { holds: 'holds', fails: 'does not hold', unproven: 'not provable here', open: 'not known when the run ended', unjudged: 'could not be judged' };
