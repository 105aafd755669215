import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { renderedObject } from '../../../evidence/bundle-parts.ts';
import type { Observation, ObservedObject } from '../../../evidence/observation.ts';
import { isObject } from '../../../evidence/shape.ts';
import { readLines } from '../canonical-text.ts';
import { creations, nameOf } from './creations.ts';

const { path } = BUNDLE_LAYOUT.manifests;
/** Of these, whatever the administrator makes is rendered: they say what may be done, and what runs. */
const ALWAYS_RENDERED = /^(?:roles|rolebindings|networkpolicies|deployments|jobs|serviceaccounts)\//;

type Rendered = Readonly<Record<string, unknown>> & { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } };

/** Has the API server logged, of every object that was rendered, that the administrator created it, and did it then look as it was rendered? */
export function renderedManifestFaults(text: string, observations: readonly Observation[]): string[] {
  const { values, faults } = readLines(path, text, renderedObject);
  const created = creations(observations);
  const first = firstStates(observations);
  const rendered = new Set<string>();
  const wrong = (values as readonly Rendered[]).flatMap((object, index) => {
    const name = nameOf(object);
    rendered.add(name);
    if (!created.has(name)) return [`${path}, line ${index + 1}: the API server has logged no creation of ${name}`];
    const state = first.get(name);
    const differing = state === undefined ? null : differenceOf(object, state, '', object.kind === 'Pod');
    return differing === null ? [] : [`${path}, line ${index + 1}: ${name} was made otherwise than it was rendered: ${differing.slice(1, 200)}`];
  });
  const leftOut = [...created].filter((name) => ALWAYS_RENDERED.test(name) && !rendered.has(name)).map((name) => `${path}: the API server has logged the creation of ${name}, which was not rendered`);
  return [...faults, ...wrong, ...leftOut];
}

/** Of what is read at the end, that one state: nothing may change it on the way. */
function firstStates(observations: readonly Observation[]): ReadonlyMap<string, ObservedObject> {
  const states = new Map<string, ObservedObject>();
  for (const { kind, body } of observations) {
    if (kind !== 'api.watched' && kind !== 'api.object') continue;
    const name = nameOf(body.object);
    if (!states.has(name)) states.set(name, body.object);
  }
  return states;
}

/** The path of what the API server has made otherwise than it was asked to: it adds to an object, and what is empty it may leave out. A Pod's lists it may make longer. */
function differenceOf(asked: unknown, made: unknown, at: string, mayGrow: boolean): string | null {
  if (isEmpty(asked) && (made === undefined || isEmpty(made))) return null;
  if (Array.isArray(asked)) {
    if (!Array.isArray(made) || made.length < asked.length || (made.length > asked.length && !mayGrow)) return at;
    return firstOf(asked.map((item, index) => [`${at}.${index}`, item, made[index]]), mayGrow);
  }
  if (isObject(asked)) return isObject(made) ? firstOf(Object.entries(asked).map(([key, value]) => [`${at}.${key}`, value, made[key]]), mayGrow) : at;
  return asked === made ? null : at;
}

function firstOf(pairs: readonly (readonly [at: string, asked: unknown, made: unknown])[], mayGrow: boolean): string | null {
  for (const [at, asked, made] of pairs) {
    const found = differenceOf(asked, made, at, mayGrow);
    if (found !== null) return found;
  }
  return null;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);
}
