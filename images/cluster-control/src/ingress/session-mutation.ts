import { DomainError } from '../../../core/errors.ts';
import {
  type HeartbeatRequest,
  type HeartbeatResponse,
  MAXIMUM_REGISTER_BYTES,
  MAXIMUM_SESSION_UPDATE_BYTES,
  parseHeartbeatRequest,
  parseRegisterRequest,
  parseTransitionRequest,
  type RegisterRequest,
  type RegisterResponse,
  type SessionOperation,
  type TransitionRequest,
  type TransitionResponse,
} from '../../../core/session-wire.ts';
import type { SessionCaller } from '../../../postgres/repositories/worker-session-caller.ts';
import { IngressRefusal } from './refusal.ts';

export interface WorkerSessions {
  register(caller: SessionCaller, request: RegisterRequest, signal: AbortSignal): Promise<RegisterResponse>;
  heartbeat(caller: SessionCaller, request: HeartbeatRequest, signal: AbortSignal): Promise<HeartbeatResponse>;
  transition(caller: SessionCaller, request: TransitionRequest, signal: AbortSignal): Promise<TransitionResponse>;
}

export type SessionResponse = RegisterResponse | HeartbeatResponse | TransitionResponse;
export type SessionMutation = (sessions: WorkerSessions, caller: SessionCaller, signal: AbortSignal) => Promise<SessionResponse>;

export function bodyLimitOf(operation: SessionOperation): number {
  return operation === 'register' ? MAXIMUM_REGISTER_BYTES : MAXIMUM_SESSION_UPDATE_BYTES;
}

/** The change that a body asks for; a body of any other shape is refused before the database hears of it. */
export function parseMutation(operation: SessionOperation, body: Buffer): SessionMutation {
  try {
    return mutationOf(operation, body);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new IngressRefusal('invalid_worker_request', 'body_malformed', { cause: error });
  }
}

function mutationOf(operation: SessionOperation, body: Buffer): SessionMutation {
  switch (operation) {
    case 'register': {
      const request = parseRegisterRequest(body);
      return (sessions, caller, signal) => sessions.register(caller, request, signal);
    }
    case 'heartbeat': {
      const request = parseHeartbeatRequest(body);
      return (sessions, caller, signal) => sessions.heartbeat(caller, request, signal);
    }
    case 'transition': {
      const request = parseTransitionRequest(body);
      return (sessions, caller, signal) => sessions.transition(caller, request, signal);
    }
  }
}
