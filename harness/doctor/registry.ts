import type Docker from 'dockerode';
import { PINNED_IMAGES } from '../../evidence/pins.ts';

const PIN = `${PINNED_IMAGES.k3s.name}@${PINNED_IMAGES.k3s.digest}`;
const ANSWER_WITHIN_MS = 2_500;

/**
 * Why the registry of the pinned images cannot be reached, or null. The Engine is asked to ask: it may have a proxy or a mirror that this
 * process knows nothing of. Nothing is downloaded.
 */
export async function askRegistry(docker: Docker): Promise<string | null> {
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const request = { path: `/distribution/${PIN}/json`, method: 'GET', statusCodes: { 200: true }, abortSignal: late };
  docker.modem.dial(request, (error: unknown) => {
    const { json, message } = (error ?? {}) as { json?: { message?: string }; message?: string };
    if (error === null) resolve(null);
    else resolve(late.aborted ? `no answer within ${ANSWER_WITHIN_MS} ms` : (json?.message ?? message ?? 'no reason was given'));
  });
  return await promise;
}
