import type { State, ToldRule } from './explanation.ts';

export const STATE_SIGNS: Readonly<Record<State, string>> = { holds: '✓', fails: '✕', unproven: '–', open: '?', unjudged: '?' };
export const STATE_TEXTS: Readonly<Record<State, string>> = { holds: 'holds', fails: 'does not hold', unproven: 'not provable here', open: 'not known when the run ended', unjudged: 'could not be judged' };

/** Why a rule names no observation; null of one that does. */
export function wordsWithoutObservations({ met, observations }: ToldRule): string | null {
  if (observations.length > 0) return null;
  return met ? 'nothing was observed that breaks it: this rule looks for what must not be there, or must be nowhere missing' : 'nothing was observed of it';
}
