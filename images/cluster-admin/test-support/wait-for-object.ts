import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { ClusterAccess } from '../src/kubernetes/cluster-access.ts';

const DEADLINE_MS = 15_000;

/** Watches one object until the predicate holds; the error carries what was seen last. */
export async function waitForObject(
  access: ClusterAccess,
  collectionPath: string,
  name: string,
  predicate: (object: unknown) => boolean,
): Promise<void> {
  const { identity } = access;
  const query = new URLSearchParams({ watch: 'true', fieldSelector: `metadata.name=${name}` });
  let last = 'nothing';
  const call = request(`${access.server}${collectionPath}?${query.toString()}`, {
    ca: access.caPem,
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(identity.kind === 'client_certificate'
      ? { cert: identity.certificatePem, key: identity.privateKeyPem }
      : { headers: { authorization: `Bearer ${identity.token}` } }),
  });
  try {
    const lines = await new Promise<AsyncIterable<string>>((resolve, reject) => {
      call.on('response', (response) => {
        // Leaving the loop below aborts the endless answer, which is no failure.
        response.on('error', () => lines.close());
        const lines = createInterface(response);
        lines.on('error', () => {});
        resolve(lines);
      });
      call.on('error', reject);
      call.end();
    });
    for await (const line of lines) {
      last = line;
      if (predicate((JSON.parse(line) as { object: unknown }).object)) return;
    }
    throw new Error('the watch ended');
  } catch (cause) {
    throw new Error(`${collectionPath}/${name} did not become as expected within ${DEADLINE_MS} ms; last seen: ${last.slice(0, 2000)}`, { cause });
  } finally {
    call.on('error', () => {});
    call.destroy();
  }
}
