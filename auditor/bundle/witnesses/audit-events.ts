import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { canonicalJson } from '../../../evidence/canonical-json.ts';
import type { AuditEvent, Observation } from '../../../evidence/observation.ts';
import { parseStrictJson } from '../../../evidence/strict-json.ts';
import { contradictionsOf } from './raw-audit-contradictions.ts';
import { toAuditEvent } from './raw-audit-event.ts';

const { path } = BUNDLE_LAYOUT.auditEvents;

/**
 * Is every request of the observation log one that the API server logged, and the other way round, in the same order and the
 * same in every field? The lines are read here anew, by none of the code that took them down.
 */
export function auditEventFaults(text: string, observations: readonly Observation[]): string[] {
  const lines = text.split('\n');
  const faults: string[] = lines.pop() === '' ? [] : [`${path}: the last line has no end`];
  const observed = observations.flatMap((observation) => (observation.kind === 'api.audit' ? [observation] : []));
  const kubelets = new Map(observations.flatMap(({ kind, body }) => (kind === 'platform.node' ? [[body.name, body.kubeletVersion]] : [])));
  const logged = lines.map((line, index) => readLine(line, index + 1, kubelets, faults));
  for (let index = 0; index < Math.max(logged.length, observed.length); index += 1) {
    const [raw, observation] = [logged[index], observed[index]];
    if (raw === undefined) return [...faults, `${path}: the API server has not logged what observation ${observation?.seq} says; it has ${logged.length} lines, the observations ${observed.length} requests`];
    if (typeof raw === 'string') return [...faults, raw];
    if (observation === undefined) return [...faults, `${path}, line ${index + 1}: no observation was taken down of this request (${raw.auditId})`];
    if (canonicalJson(raw) !== canonicalJson(observation.body)) return [...faults, `${path}, line ${index + 1}: observation ${observation.seq} says otherwise of ${differing(raw, observation.body)}`];
  }
  return faults;
}

function readLine(line: string, number: number, kubelets: ReadonlyMap<string, string>, faults: string[]): AuditEvent | string {
  const parsed = parseStrictJson(line);
  if (!parsed.ok) return `${path}, line ${number}: ${parsed.message}`;
  faults.push(...contradictionsOf(parsed.value, kubelets).map((words) => `${path}, line ${number}: the event contradicts itself: ${words}`));
  return toAuditEvent(parsed.value) ?? `${path}, line ${number}: expected an event of audit.k8s.io/v1`;
}

function differing(raw: AuditEvent, observed: AuditEvent): string {
  const fields = (Object.keys(raw) as (keyof AuditEvent)[]).filter((key) => canonicalJson(raw[key]) !== canonicalJson(observed[key] ?? null));
  return `request ${raw.auditId}: ${fields.join(', ') || 'its fields'}`;
}
