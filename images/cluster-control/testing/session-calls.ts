import { createHash } from 'node:crypto';
import { HEARTBEAT_SCHEMA, REGISTER_SCHEMA, TRANSITION_SCHEMA } from '../../core/session-wire.ts';
import type { IngressCall } from './ingress-client.ts';
import type { IssuedCredential } from './issued-credential.ts';

type Bearer = Pick<IssuedCredential, 'workerId' | 'token'>;

export function registerCall(bearer: Bearer, sessionId: string, changes: Record<string, unknown> = {}): IngressCall {
  const capabilitiesJson = JSON.stringify({ runtime: 'node' });
  const capabilitiesHash = createHash('sha256').update(capabilitiesJson).digest('hex');
  const body = { schema: REGISTER_SCHEMA, capabilitiesJson, capabilitiesHash, maxConcurrentRuns: 4, availableSlots: 4, leaseDurationMs: 60_000, ...changes };
  return { ...bearer, sessionId, operation: 'register', body };
}

export function heartbeatCall(bearer: Bearer, sessionId: string, expectedVersion: number, changes: Record<string, unknown> = {}): IngressCall {
  const body = { schema: HEARTBEAT_SCHEMA, generation: 1, expectedVersion, availableSlots: 3, leaseDurationMs: 60_000, ...changes };
  return { ...bearer, sessionId, operation: 'heartbeat', body };
}

export function transitionCall(bearer: Bearer, sessionId: string, expectedVersion: number, changes: Record<string, unknown> = {}): IngressCall {
  const body = { schema: TRANSITION_SCHEMA, generation: 1, expectedVersion, status: 'draining', ...changes };
  return { ...bearer, sessionId, operation: 'transition', body };
}
