import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sessionPath } from '../../../core/ingress-error.ts';
import { matchSessionRoute } from './route.ts';

const sessionId = '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const path = `/api/v3/worker-ingress/workers/worker-1/sessions/${sessionId}/heartbeat`;

describe('the session route', () => {
  it('is matched as the Worker writes it, whatever the alphabet of its id', () => {
    const workerId = 'zone:a.worker_1-x';
    assert.deepEqual(matchSessionRoute('POST', sessionPath(workerId, sessionId, 'register')), { workerId, sessionId, operation: 'register' });
  });

  const others: Record<string, [string, string]> = {
    'another method': ['GET', path],
    'a query string': ['POST', `${path}?`],
    'a trailing slash': ['POST', `${path}/`],
    'another operation': ['POST', path.replace('heartbeat', 'observe')],
    'an upper-case session id': ['POST', path.replace(sessionId, sessionId.toUpperCase())],
    'a UUID of another version': ['POST', path.replace('-7e5f', '-4e5f')],
    'a worker id with a slash': ['POST', path.replace('worker-1', 'a%2Fb')],
    'a broken escape': ['POST', path.replace('worker-1', '%E0%A4%A')],
    'an absolute URI': ['POST', `https://host${path}`],
    'a parent segment': ['POST', path.replace('worker-1', '..')],
  };
  for (const [name, [method, url]] of Object.entries(others)) {
    it(`is not ${name}`, () => assert.equal(matchSessionRoute(method, url), null));
  }
});
