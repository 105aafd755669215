import { sha256Hex } from './digest.ts';
import type { DomainIssue } from './errors.ts';
import { digestRule, sessionIdRule, workerIdRule } from './identifiers.ts';
import { parseJsonText } from './json-text.ts';
import { exactly, instantMs, integer, literal, nullable, readAs, scalar, type Rule } from './shape.ts';

export const REGISTER_SCHEMA = 'qinglong/worker-session-register@v1';
export const HEARTBEAT_SCHEMA = 'qinglong/worker-session-heartbeat@v1';
export const TRANSITION_SCHEMA = 'qinglong/worker-session-transition@v1';
export const REGISTER_RESULT_SCHEMA = 'qinglong/worker-session-register-result@v1';
export const HEARTBEAT_RESULT_SCHEMA = 'qinglong/worker-session-heartbeat-result@v1';
export const TRANSITION_RESULT_SCHEMA = 'qinglong/worker-session-transition-result@v1';

export const MAXIMUM_REGISTER_BYTES = 20_480;
export const MAXIMUM_SESSION_UPDATE_BYTES = 4_096;
export const MAXIMUM_CAPABILITIES_BYTES = 16_384;
export const MAXIMUM_CONCURRENT_RUNS = 1_024;
export const MINIMUM_LEASE_MS = 5_000;
export const MAXIMUM_LEASE_MS = 600_000;

export type SessionOperation = 'register' | 'heartbeat' | 'transition';
export type SessionStatus = 'online' | 'draining' | 'offline';

export interface RegisterRequest {
  readonly schema: typeof REGISTER_SCHEMA;
  /** A JSON object as text; the hash is over exactly these characters. */
  readonly capabilitiesJson: string;
  readonly capabilitiesHash: string;
  readonly maxConcurrentRuns: number;
  readonly availableSlots: number;
  readonly leaseDurationMs: number;
}

export interface HeartbeatRequest {
  readonly schema: typeof HEARTBEAT_SCHEMA;
  readonly generation: number;
  readonly expectedVersion: number;
  readonly availableSlots: number;
  readonly leaseDurationMs: number;
}

export interface TransitionRequest {
  readonly schema: typeof TRANSITION_SCHEMA;
  readonly generation: number;
  readonly expectedVersion: number;
  readonly status: 'draining' | 'offline';
}

const capabilities: Rule<string> = scalar(`a JSON object as text of at most ${MAXIMUM_CAPABILITIES_BYTES} bytes`, isCapabilities);
const slots = integer(0, MAXIMUM_CONCURRENT_RUNS);
const lease = integer(MINIMUM_LEASE_MS, MAXIMUM_LEASE_MS);

const registerRule = exactly<RegisterRequest>({
  schema: literal(REGISTER_SCHEMA),
  capabilitiesJson: capabilities,
  capabilitiesHash: digestRule,
  maxConcurrentRuns: integer(1, MAXIMUM_CONCURRENT_RUNS),
  availableSlots: slots,
  leaseDurationMs: lease,
});

const heartbeatRule = exactly<HeartbeatRequest>({
  schema: literal(HEARTBEAT_SCHEMA),
  generation: integer(1),
  expectedVersion: integer(0),
  availableSlots: slots,
  leaseDurationMs: lease,
});

const transitionRule = exactly<TransitionRequest>({
  schema: literal(TRANSITION_SCHEMA),
  generation: integer(1),
  expectedVersion: integer(0),
  status: literal('draining', 'offline'),
});

const CODE = 'QL3_SESSION_MESSAGE_INVALID';

export function parseRegisterRequest(text: string | Uint8Array): RegisterRequest {
  const value = parseJsonText(CODE, 'the register request', text, MAXIMUM_REGISTER_BYTES);
  return readAs(CODE, 'the register request', registerRule, value, checkRegistration);
}

export function parseHeartbeatRequest(text: string | Uint8Array): HeartbeatRequest {
  const value = parseJsonText(CODE, 'the heartbeat request', text, MAXIMUM_SESSION_UPDATE_BYTES);
  return readAs(CODE, 'the heartbeat request', heartbeatRule, value);
}

export function parseTransitionRequest(text: string | Uint8Array): TransitionRequest {
  const value = parseJsonText(CODE, 'the transition request', text, MAXIMUM_SESSION_UPDATE_BYTES);
  return readAs(CODE, 'the transition request', transitionRule, value);
}

/** SHA-256 over the text of the capabilities, as it travels. */
export function capabilitiesHash(capabilitiesJson: string): string {
  return sha256Hex(capabilitiesJson);
}

function checkRegistration(request: RegisterRequest, issues: DomainIssue[]): void {
  if (request.capabilitiesHash !== capabilitiesHash(request.capabilitiesJson)) {
    issues.push({ path: 'capabilitiesHash', expected: 'the SHA-256 of capabilitiesJson', got: 'another digest' });
  }
  if (request.availableSlots > request.maxConcurrentRuns) {
    issues.push({
      path: 'availableSlots',
      expected: `at most maxConcurrentRuns (${request.maxConcurrentRuns})`,
      got: String(request.availableSlots),
    });
  }
}

function isCapabilities(value: unknown): boolean {
  if (typeof value !== 'string' || Buffer.byteLength(value, 'utf8') > MAXIMUM_CAPABILITIES_BYTES) return false;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** The session that a registration has put out of service. */
export interface ReplacedSession {
  readonly sessionId: string;
  readonly generation: number;
  readonly version: number;
  readonly status: SessionStatus;
}

export interface SessionState {
  readonly workerId: string;
  readonly sessionId: string;
  readonly generation: number;
  readonly version: number;
  readonly status: SessionStatus;
  readonly leaseExpiresAtMs: number;
}

export interface RegisterResponse extends SessionState {
  readonly schema: typeof REGISTER_RESULT_SCHEMA;
  readonly replacedSession: ReplacedSession | null;
}

export interface HeartbeatResponse extends SessionState {
  readonly schema: typeof HEARTBEAT_RESULT_SCHEMA;
}

export interface TransitionResponse extends SessionState {
  readonly schema: typeof TRANSITION_RESULT_SCHEMA;
}

const status = literal<SessionStatus>('online', 'draining', 'offline');
const state = {
  workerId: workerIdRule,
  sessionId: sessionIdRule,
  generation: integer(1),
  version: integer(0),
  status,
  leaseExpiresAtMs: instantMs,
};

const registerResponseRule = exactly<RegisterResponse>({
  schema: literal(REGISTER_RESULT_SCHEMA),
  ...state,
  replacedSession: nullable(
    exactly<ReplacedSession>({ sessionId: sessionIdRule, generation: integer(1), version: integer(0), status }),
  ),
});
const heartbeatResponseRule = exactly<HeartbeatResponse>({ schema: literal(HEARTBEAT_RESULT_SCHEMA), ...state });
const transitionResponseRule = exactly<TransitionResponse>({ schema: literal(TRANSITION_RESULT_SCHEMA), ...state });

export function parseRegisterResponse(text: string | Uint8Array): RegisterResponse {
  return readAs(CODE, 'the register response', registerResponseRule, parseResponse(text));
}

export function parseHeartbeatResponse(text: string | Uint8Array): HeartbeatResponse {
  return readAs(CODE, 'the heartbeat response', heartbeatResponseRule, parseResponse(text));
}

export function parseTransitionResponse(text: string | Uint8Array): TransitionResponse {
  return readAs(CODE, 'the transition response', transitionResponseRule, parseResponse(text));
}

function parseResponse(text: string | Uint8Array): unknown {
  return parseJsonText(CODE, 'the session response', text, MAXIMUM_SESSION_UPDATE_BYTES);
}
