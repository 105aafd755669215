import type { Fate, Fault, PassingRequest } from '../../contract/probes/fault-proxy.ts';
import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';

/** How an API server misbehaves, by name. Towards the product only once, and at one call; then everything is as ever. */
export const API_FAULTS = {
  /** Fails requests of the harness's own, each in more than one way but never twice in a row; what the product asks passes. */
  busy: () => {
    const asked = new Map<string, number>();
    return ({ method, path, isHarness }) => {
      const request = `${method} ${path}`;
      const times = (asked.get(request) ?? 0) + 1;
      asked.set(request, times);
      return Promise.resolve(isHarness ? fateOfBusy(method, path, times) : 'forward');
    };
  },
  /** Takes every request from the first object of the run on, and never answers one. */
  silent: () => {
    let hasBegun = false;
    return ({ method }) => {
      hasBegun ||= method === 'POST';
      return Promise.resolve(hasBegun ? 'hold' : 'forward');
    };
  },
  'token-request-429': () => once(({ path, isHarness }) => !isHarness && path.endsWith(`/serviceaccounts/${NAMES.deliveryServiceAccount}/token`), { status: 429 }),
  'secret-replace-409': () => once(({ method, path }) => method === 'PUT' && path.endsWith(`/secrets/${NAMES.targetSecret}`), { status: 409 }),
  'deployment-replace-500': () => once(({ method, path, isHarness }) => !isHarness && method === 'PUT' && path.endsWith(`/deployments/${NAMES.deployment}`), { status: 500 }),
  'access-review-503': () => once(({ path, isHarness }) => !isHarness && path.endsWith('/selfsubjectaccessreviews'), { status: 503 }),
} as const satisfies Readonly<Record<string, () => Fault>>;
export type ApiFault = keyof typeof API_FAULTS;

function fateOfBusy(method: string, path: string, times: number): Fate {
  if (times === 1 && path.endsWith('/log')) return 'cut';
  if (times === 1 && method === 'PUT') return { status: 409 };
  if (times === 1) return { status: 429, retryAfter: '0' };
  if (times === 3) return { status: 500, retryAfter: '0' };
  if (times === 5 && method === 'GET') return { status: 503 };
  return 'forward';
}

function once(matches: (request: PassingRequest) => boolean, fate: Fate): Fault {
  let isDone = false;
  return (request) => {
    const hit = !isDone && matches(request);
    isDone ||= hit;
    return Promise.resolve(hit ? fate : 'forward');
  };
}
