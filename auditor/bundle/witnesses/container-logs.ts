import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { containerLogLine, type ContainerLogLine } from '../../../evidence/bundle-parts.ts';
import { canonicalJson } from '../../../evidence/canonical-json.ts';
import type { Observation, ObservedObject } from '../../../evidence/observation.ts';
import { textAt } from '../../../evidence/facts/fields.ts';
import { containersOf } from '../../../evidence/facts/pod-spec.ts';
import { isObject } from '../../../evidence/shape.ts';
import { readLines } from '../canonical-text.ts';

const { path } = BUNDLE_LAYOUT.containerLogs;

/** Has every line that the observations say was printed been printed, and was none that was printed left out, nor kept as text? Did the containers of the Pods that the watch has shown print it all? */
export function containerLogFaults(text: string, observations: readonly Observation[]): string[] {
  const { values, faults } = readLines(path, text, containerLogLine);
  const printed = new Map(values.filter(({ line }) => line !== null).map(({ podUid, index, line }) => [canonicalJson([podUid, index, line]), podUid]));
  const told: string[] = [];
  for (const observation of observations) {
    if (observation.kind !== 'process.line' && observation.kind !== 'ingress.line') continue;
    const { podUid, index, line } = observation.body;
    const key = canonicalJson([podUid, index, line]);
    if (!printed.delete(key)) told.push(`${path}: no container has printed what observation ${observation.seq} says`);
  }
  const leftOut = [...printed.values()].map((podUid) => `${path}: a line of Pod ${podUid} was printed, and no observation was taken down of it`);
  return [...faults, ...told, ...leftOut, ...textsOfTheProduct(values), ...strangers(values, observations)];
}

/** A line of the product is JSON, and belongs among the observations. */
function textsOfTheProduct(values: readonly ContainerLogLine[]): string[] {
  return values.flatMap(({ podUid, text }) => (isLine(text) ? [`${path}: what Pod ${podUid} printed as a line of the product stands there as text`] : []));
}

function isLine(text: string | null): boolean {
  if (text === null || !text.trimStart().startsWith('{')) return false;
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) && typeof line['component'] === 'string' && typeof line['event'] === 'string';
  } catch {
    return false;
  }
}

/** Names under which a container's lines stand, and what is wrong with them by what the watch has shown of its Pod. */
function strangers(values: readonly ContainerLogLine[], observations: readonly Observation[]): string[] {
  const pods = new Map<string, ObservedObject>();
  for (const { kind, body } of observations) if (kind === 'api.watched' && body.object.kind === 'Pod') pods.set(body.object.metadata.uid, body.object);
  const names = new Map(values.map(({ namespace, podName, podUid, container }) => [canonicalJson([namespace, podName, podUid, container]), { namespace, podName, podUid, container }]));
  return [...names.values()].flatMap(({ namespace, podName, podUid, container }) => {
    const pod = pods.get(podUid);
    const isKnown = pod !== undefined && pod.metadata.name === podName && pod.metadata.namespace === namespace && containersOf(pod).some((each) => textAt(each, 'name') === container);
    return isKnown ? [] : [`${path}: the watch has shown no container ${container} of Pod ${namespace}/${podName} (${podUid})`];
  });
}
