import { isSessionId, isWorkerId } from '../../../core/identifiers.ts';
import type { SessionOperation } from '../../../core/session-wire.ts';

export interface SessionRoute {
  readonly workerId: string;
  readonly sessionId: string;
  readonly operation: SessionOperation;
}

const PATH = /^\/api\/v3\/worker-ingress\/workers\/([^/?#]+)\/sessions\/([^/?#]+)\/(register|heartbeat|transition)$/u;

/** The one route there is. A query string, another method and malformed identifiers all make it another route. */
export function matchSessionRoute(method: string | undefined, url: string | undefined): SessionRoute | null {
  const match = method === 'POST' ? PATH.exec(url ?? '') : null;
  if (match === null) return null;
  const workerId = decodeSegment(match[1]);
  const sessionId = decodeSegment(match[2]);
  if (!isWorkerId(workerId) || !isSessionId(sessionId)) return null;
  return { workerId, sessionId, operation: match[3] as SessionOperation };
}

function decodeSegment(segment: string | undefined): string | null {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return null;
  }
}
