import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { renderManifests, type ManifestObject } from '../../manifests/render.ts';
import { Authority, type Identity } from '../../pki/authority.ts';
import { createAll } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import { assertNotHopeless, isReady, podRef, type PodRef } from '../pods.ts';
import type { ObjectValues } from '../object-values.ts';
import { waitForLine } from '../rollout.ts';

export interface Ingress {
  /** Signs the server's and the Workers' certificates of phase B. */
  readonly authority: Authority;
  readonly pod: PodRef;
  readonly origin: string;
}

export function createIngressAuthority(): Promise<Authority> {
  const authority = Authority.create('ql3 rollout ingress');
  authority.catch(() => undefined); // awaited by who needs it
  return authority;
}

/** Starts Cluster Control behind its Service; ready is the Pod's readiness, which is the database's. */
export async function startIngress(context: ContractContext, authority: Authority): Promise<Ingress> {
  const host = `${NAMES.ingressService}.${NAMES.workerNamespace}.svc`;
  const [server, emptyList] = await Promise.all([authority.issueServer(host, { dns: [host] }), authority.revoke([])]);
  await createAll(context.cluster, controlObjects(context, authority, server, emptyList));
  const pod = await context.watches.workerPods.until(
    'the Pod of Cluster Control to be ready',
    (pods) => {
      const control = pods.find((candidate) => candidate.metadata.labels?.['app.kubernetes.io/component'] === 'control');
      if (control !== undefined) assertNotHopeless(control);
      return control !== undefined && isReady(control) ? podRef(control) : undefined;
    },
    DEADLINES.podStartedMs,
  );
  await waitForLine(context, pod, 'listening');
  return { authority, pod, origin: `https://${host}:5801` };
}

export function controlObjects(
  { images, pepper, database }: Pick<ObjectValues, 'images' | 'pepper' | 'database'>,
  authority: Pick<Authority, 'certificatePem'>,
  server: Pick<Identity, 'certificatePem' | 'privateKeyPem'>,
  clientCrlPem: string,
): readonly ManifestObject[] {
  const controlNamespace = NAMES.workerNamespace;
  return [
    ...renderManifests('control-trust', { controlNamespace, clientCaPem: authority.certificatePem, clientCrlPem }),
    ...renderManifests('control', {
      controlNamespace,
      controlImage: images.control.name,
      serverCertificate: Buffer.from(server.certificatePem),
      serverPrivateKey: Buffer.from(server.privateKeyPem),
      pepper: Buffer.from(pepper),
      databaseUrl: Buffer.from(database.urlForPods('ql3_worker_ingress')),
      databaseCa: Buffer.from(database.access.caPem),
    }),
  ];
}
