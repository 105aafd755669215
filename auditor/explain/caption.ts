import type { GateName } from '../../evidence/gate-names.ts';
import type { Explanation, State, ToldVerdict } from './explanation.ts';
import { STATE_TEXTS } from './state-words.ts';

export function stateIn(explanation: Explanation): (name: GateName) => State {
  const states = new Map<string, State>(explanation.gates.map(({ name, state }) => [name, state]));
  return (name) => states.get(name) ?? 'open';
}

/** Title, place and the picture in words. */
export function captionOf(explanation: Explanation) {
  const { headline, fixture, sourceRevision, observedAt, platform } = explanation;
  const subtitle = [fixture, platform, sourceRevision === null ? null : `revision ${sourceRevision.slice(0, 12)}`, observedAt].filter((each) => each !== null).join(' · ');
  const held = explanation.gates.filter(({ state }) => state === 'holds').length;
  const description = `A timeline in lanes: approvals, credentials, API calls, Secrets, the Deployment, Pods, the volume, sessions and probes, one below the other, time to the right. Numbered arrows and braces show the orders that gates rest on; ${held} of ${explanation.gates.length} gates hold.`;
  return { title: headline, subtitle, description };
}

/** How many came to what. */
export function countsOf({ gates, probes }: Explanation): string {
  const count = (told: readonly ToldVerdict[], state: State): number => told.filter((each) => each.state === state).length;
  const others = (told: readonly ToldVerdict[]): string => (['fails', 'unproven', 'open', 'unjudged'] as const).filter((state) => count(told, state) > 0).map((state) => `, ${count(told, state)} ${state === 'fails' && count(told, state) > 1 ? 'do not hold' : STATE_TEXTS[state]}`).join('');
  const ofProbes = probes.length === 0 ? '' : ` Probes: ${count(probes, 'holds')} of ${probes.length} were refused or ended as they must${others(probes)}.`;
  return `Gates: ${count(gates, 'holds')} of ${gates.length} hold${others(gates)}.${ofProbes}`;
}
