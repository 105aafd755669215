import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { DomainError } from './errors.ts';
import { INGRESS_ERROR_STATUS, parseIngressErrorBody, sessionPath } from './ingress-error.ts';
import {
  capabilitiesHash,
  parseHeartbeatRequest,
  parseHeartbeatResponse,
  parseRegisterRequest,
  parseRegisterResponse,
  parseTransitionRequest,
  parseTransitionResponse,
} from './session-wire.ts';

const CAPABILITIES = '{"os":"linux"}';
const REGISTER = {
  schema: 'qinglong/worker-session-register@v1',
  capabilitiesJson: CAPABILITIES,
  capabilitiesHash: capabilitiesHash(CAPABILITIES),
  maxConcurrentRuns: 2,
  availableSlots: 2,
  leaseDurationMs: 15_000,
};
const HEARTBEAT = { schema: 'qinglong/worker-session-heartbeat@v1', generation: 1, expectedVersion: 0, availableSlots: 2, leaseDurationMs: 15_000 };
const TRANSITION = { schema: 'qinglong/worker-session-transition@v1', generation: 1, expectedVersion: 3, status: 'draining' };
const STATE = { workerId: 'w', sessionId: '01890a5d-ac96-7b7c-8f8f-2f3c1a2b3c4d', generation: 2, version: 7, status: 'online', leaseExpiresAtMs: 5 };
const REPLACED = { sessionId: '01890a5d-ac96-7b7c-8f8f-2f3c1a2b3c4e', generation: 1, version: 6, status: 'offline' };

const MESSAGES: readonly { name: string; parse: (text: string) => object; valid: Record<string, unknown>; limit: number }[] = [
  { name: 'register', parse: parseRegisterRequest, valid: REGISTER, limit: 20_480 },
  { name: 'heartbeat', parse: parseHeartbeatRequest, valid: HEARTBEAT, limit: 4_096 },
  { name: 'transition', parse: parseTransitionRequest, valid: TRANSITION, limit: 4_096 },
  { name: 'register response', parse: parseRegisterResponse, valid: { schema: 'qinglong/worker-session-register-result@v1', ...STATE, replacedSession: REPLACED }, limit: 4_096 },
  { name: 'heartbeat response', parse: parseHeartbeatResponse, valid: { schema: 'qinglong/worker-session-heartbeat-result@v1', ...STATE }, limit: 4_096 },
  { name: 'transition response', parse: parseTransitionResponse, valid: { schema: 'qinglong/worker-session-transition-result@v1', ...STATE }, limit: 4_096 },
];

const isInvalid = (error: unknown): boolean => error instanceof DomainError && error.code === 'QL3_SESSION_MESSAGE_INVALID';

for (const { name, parse, valid, limit } of MESSAGES) {
  test(`${name}: the documented message is read as it is`, () => {
    assert.deepEqual({ ...parse(JSON.stringify(valid)) }, valid);
  });

  test(`${name}: one key more, less or of another type is refused`, () => {
    assert.throws(() => parse(JSON.stringify({ ...valid, extra: null })), isInvalid);
    for (const key of Object.keys(valid)) {
      assert.throws(() => parse(JSON.stringify({ ...valid, [key]: undefined })), isInvalid, key);
      for (const wrong of [{}, [], true, -1, 1.5, 2 ** 53, ' ', 'x'.repeat(200)]) {
        assert.throws(() => parse(JSON.stringify({ ...valid, [key]: wrong })), isInvalid, `${key} ${JSON.stringify(wrong)}`);
      }
    }
  });

  test(`${name}: no text crashes it, and more than ${limit} bytes are not parsed`, () => {
    assert.throws(() => parse(JSON.stringify(valid) + ' '.repeat(limit)), isInvalid);
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => assert.throws(() => parse(text), isInvalid)));
  });
}

test('capabilities are a JSON object, bound by their hash', () => {
  const withCapabilities = (capabilitiesJson: string): string =>
    JSON.stringify({ ...REGISTER, capabilitiesJson, capabilitiesHash: capabilitiesHash(capabilitiesJson) });
  for (const text of ['[]', 'null', '1', '{', '', `{"a":"${'x'.repeat(16_384)}"}`]) {
    assert.throws(() => parseRegisterRequest(withCapabilities(text)), isInvalid, text.slice(0, 10));
  }
  assert.throws(() => parseRegisterRequest(JSON.stringify({ ...REGISTER, capabilitiesJson: '{"os": "linux"}' })), isInvalid);
});

test('a session offers no more slots than it has, and a lease of 5 s to 10 min', () => {
  assert.throws(() => parseRegisterRequest(JSON.stringify({ ...REGISTER, availableSlots: 3 })), isInvalid);
  for (const leaseDurationMs of [4_999, 600_001]) {
    assert.throws(() => parseHeartbeatRequest(JSON.stringify({ ...HEARTBEAT, leaseDurationMs })), isInvalid);
  }
  for (const leaseDurationMs of [5_000, 600_000]) parseHeartbeatRequest(JSON.stringify({ ...HEARTBEAT, leaseDurationMs }));
});

test('a worker cannot transition to online', () => {
  assert.throws(() => parseTransitionRequest(JSON.stringify({ ...TRANSITION, status: 'online' })), isInvalid);
});

test('a first registration replaces nothing', () => {
  const first = { schema: 'qinglong/worker-session-register-result@v1', ...STATE, replacedSession: null };
  assert.equal(parseRegisterResponse(JSON.stringify(first)).replacedSession, null);
});

test('error bodies carry one known code', () => {
  for (const code of Object.keys(INGRESS_ERROR_STATUS)) assert.equal(parseIngressErrorBody(JSON.stringify({ code })).code, code);
  for (const text of ['{}', '{"code":"toString"}', '{"code":"worker_session_fenced","detail":1}', '<html>']) {
    assert.throws(() => parseIngressErrorBody(text), isInvalid);
  }
});

test('the path names worker and session in single segments', () => {
  assert.equal(sessionPath('w:1', 's', 'register'), '/api/v3/worker-ingress/workers/w%3A1/sessions/s/register');
});
