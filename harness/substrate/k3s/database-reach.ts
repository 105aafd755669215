import type { CoreV1Api, KubeConfig, V1Pod } from '@kubernetes/client-node';
import { readFileSync } from 'node:fs';
import { connectToCluster } from '../../cluster/clients.ts';
import { ObjectWatch } from '../../cluster/object-watch.ts';
import type { ObservedObject } from '../../../evidence/observation.ts';
import type { ClusterAccess, DatabaseAccess, RunnableImage } from '../substrate.ts';
import { SubstrateError } from './substrate-error.ts';

const SCRIPT = readFileSync(new URL('database-reach.script.mjs', import.meta.url), 'utf8');
const NAMESPACE = 'default';
const NAME = 'ql3-database-reach';
const WITHIN_MS = 90_000;

/** What one side saw of the server that it reached, over TLS and with the certificate verified. */
export interface DatabaseSighting {
  /** E.g. `TLSv1.3`. */
  readonly protocol: string;
  /** SHA-256 of the server's certificate, lower-case hex. */
  readonly fingerprint: string;
}

/** Has a Pod reach PostgreSQL, before anything relies on that it can: what a Pod cannot reach would be found out minutes later, as something else. */
export async function reachFromPod(access: ClusterAccess, database: DatabaseAccess, { name: image }: RunnableImage, signal: AbortSignal): Promise<DatabaseSighting> {
  const { config, core } = connectToCluster(access.kubeconfigPath, signal);
  await core.createNamespacedPod({ namespace: NAMESPACE, body: reachingPod(image, database) });
  try {
    return toSighting(await untilEnded(config, core, signal), database);
  } finally {
    await core.deleteNamespacedPod({ namespace: NAMESPACE, name: NAME, gracePeriodSeconds: 0 }).catch(() => undefined);
  }
}

function reachingPod(image: string, { caPem, fromPods: { host, port } }: DatabaseAccess): V1Pod {
  return {
    metadata: { name: NAME },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'reach',
          image,
          imagePullPolicy: 'Never',
          command: ['node', '--input-type=module', '--eval', SCRIPT, host, String(port), caPem],
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

async function untilEnded(config: KubeConfig, core: CoreV1Api, signal: AbortSignal): Promise<string> {
  const done = new AbortController();
  const watch = new ObjectWatch({ config, path: `/api/v1/namespaces/${NAMESPACE}/pods`, kind: { apiVersion: 'v1', kind: 'Pod' }, onEvent: () => undefined, signal: AbortSignal.any([signal, done.signal]) });
  try {
    await watch.start();
    await watch.until(`Pod ${NAMESPACE}/${NAME} to end, which tries whether Pods reach PostgreSQL`, (pods) => pods.find(hasEnded), WITHIN_MS, signal);
    return await core.readNamespacedPodLog({ namespace: NAMESPACE, name: NAME });
  } catch (error) {
    signal.throwIfAborted();
    throw new SubstrateError('DATABASE_UNREACHABLE', `expected a Pod to reach PostgreSQL, and it could not even try: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    done.abort();
  }
}

function hasEnded(pod: ObservedObject): boolean {
  const { phase } = (pod['status'] ?? {}) as { phase?: string };
  return pod.metadata.name === NAME && (phase === 'Succeeded' || phase === 'Failed');
}

/** The Pod's one line, or why it did not come through. */
export function toSighting(said: string, { fromPods: { host, port } }: Pick<DatabaseAccess, 'fromPods'>): DatabaseSighting {
  const line = parseLine(said);
  if (line?.event === 'database_reached' && typeof line.protocol === 'string' && typeof line.fingerprint === 'string') {
    return { protocol: line.protocol, fingerprint: line.fingerprint.replaceAll(':', '').toLowerCase() };
  }
  const reason = line === undefined ? `it printed ${JSON.stringify(said.slice(0, 500))}` : `${line.code ?? 'no code'}: ${line.message}`;
  throw new SubstrateError('DATABASE_UNREACHABLE', `expected a Pod to reach PostgreSQL at ${host}:${port} over TLS, with a certificate of the run's authority; ${reason}. Look at the firewall between Docker's networks, and at the postgres.log of the failure's folder`);
}

interface ReachLine {
  readonly event?: string;
  readonly protocol?: unknown;
  readonly fingerprint?: unknown;
  readonly code?: string | null;
  readonly message?: string;
}

function parseLine(said: string): ReachLine | undefined {
  try {
    return JSON.parse(said) as ReachLine;
  } catch {
    return undefined;
  }
}

/** Both must have seen one server: an address that leads Pods to another one would go unnoticed, as long as it speaks TLS. */
export function assertSameServer(fromHost: DatabaseSighting, fromPod: DatabaseSighting): void {
  if (fromHost.fingerprint === fromPod.fingerprint) return;
  throw new SubstrateError('DATABASE_UNREACHABLE', `expected Pods and this machine to reach the same PostgreSQL, got certificates ${fromPod.fingerprint} and ${fromHost.fingerprint}`);
}
