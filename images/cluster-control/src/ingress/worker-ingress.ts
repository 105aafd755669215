import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InFlightLimit } from '../admission/in-flight-limit.ts';
import type { OverloadShield } from '../admission/overload-shield.ts';
import type { EventLog } from '../events/event-log.ts';
import { type Answer, sendAnswer } from './answer.ts';
import { describeExchange, type Exchange, openExchange, refuse } from './exchange.ts';
import { IngressRefusal } from './refusal.ts';
import { answerSessionRequest, type SessionRequestDependencies } from './session-request.ts';

export interface IngressDependencies extends SessionRequestDependencies {
  readonly shield: OverloadShield;
  readonly inFlight: InFlightLimit;
  readonly requestTimeoutMs: number;
  readonly log: EventLog;
  /** True when the connection may carry another request. */
  readonly keepsConnection: (request: IncomingMessage) => boolean;
}

/** Serves requests one by one: limits first, then the request itself under a deadline, then its line in the log. */
export function createWorkerIngress(dependencies: IngressDependencies): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const exchange = openExchange(request, response);
    if (exchange === null) request.socket.destroy();
    else void serve(dependencies, exchange);
  };
}

async function serve(dependencies: IngressDependencies, exchange: Exchange): Promise<void> {
  const leave = dependencies.inFlight.enter();
  if (leave === null) {
    return finish(dependencies, exchange, refuse(exchange, new IngressRefusal('admission_capacity_exhausted', 'in_flight_limit')));
  }
  const verdict = dependencies.shield.charge(exchange.address);
  if (!verdict.admitted) {
    leave();
    const refusal = new IngressRefusal('authentication_rate_limited', 'too_many_failures', verdict);
    return finish(dependencies, exchange, refuse(exchange, refusal), verdict.firstInWindow);
  }
  // The work keeps its place among those in flight until it has really ended, even when its answer came too late.
  const work = (signal: AbortSignal): Promise<Answer> => answerSessionRequest(dependencies, exchange, signal, verdict.refund).finally(leave);
  finish(dependencies, exchange, await beforeDeadline(exchange, work, dependencies.requestTimeoutMs));
}

/** The work's answer, or 504 when it does not come in time; the work is told through its signal. */
async function beforeDeadline(exchange: Exchange, work: (signal: AbortSignal) => Promise<Answer>, timeoutMs: number): Promise<Answer> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => {
    deadline.abort();
    late.resolve(refuse(exchange, new IngressRefusal('request_timeout', 'deadline')));
  }, timeoutMs);
  try {
    return await Promise.race([work(deadline.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function finish(dependencies: IngressDependencies, exchange: Exchange, answer: Answer, logged = true): void {
  const { request, response } = exchange;
  sendAnswer(request, response, answer, answer.status === 504 || !dependencies.keepsConnection(request));
  if (logged) dependencies.log[levelOf(answer.status)]('worker_request', describeExchange(exchange, answer.status, answer.code));
}

function levelOf(status: number): 'info' | 'warn' | 'error' {
  if (status < 400) return 'info';
  return status < 500 ? 'warn' : 'error';
}
