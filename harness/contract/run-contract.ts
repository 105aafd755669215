import { randomBytes } from 'node:crypto';
import type { ClusterClients } from '../cluster/clients.ts';
import type { PodLines } from '../cluster/pod-lines.ts';
import { prepareDatabase, type RunDatabase } from '../database/run-database.ts';
import { expecting } from '../progress/activity.ts';
import type { Recorder } from '../observation/recorder.ts';
import type { ClusterAccess, StartedSubstrate, StartContext } from '../substrate/substrate.ts';
import { containerLogsOf } from '../bundle/container-logs.ts';
import type { RawEvidence } from '../bundle/raw-evidence.ts';
import { toObservedObject } from '../observation/observed-object.ts';
import { chooseClusterIdentity } from './cluster-identity.ts';
import { collectObservations, readAuditLog } from './collect.ts';
import type { ContractContext } from './context.ts';
import { createActorIdentities, moveActorIdentity, prepareFirstGeneration, rotateUnderTheActor } from './phase-a.ts';
import { rotateUnderTheProduct } from './phase-b.ts';
import { recordPlatform, recordReach, recordSource } from './platform.ts';
import { Lulls } from './lulls.ts';
import { probeIngress } from './probes/ingress-probe.ts';
import { runSideProbes } from './probes/side-probes.ts';
import { step } from './step.ts';
import { createIngressAuthority, startIngress } from './steps/ingress.ts';
import { scaleToZero } from './steps/scale-to-zero.ts';
import { startWatches } from './watches.ts';

export interface ContractOptions extends StartContext {
  readonly substrate: StartedSubstrate;
  readonly recorder: Recorder;
  /** Ends the watches and the following of logs; nothing is recorded by them afterwards. */
  readonly watching: AbortSignal;
  /** Ends the run for a reason that nobody waits for. */
  readonly breakOff: (error: unknown) => void;
  /** Makes the run's own clients; the caller keeps them for the evidence of a failure. */
  connect(access: ClusterAccess): ClusterClients;
  /** Tells the caller of who can be asked from now on. */
  meet(witness: { readonly lines: PodLines } | { readonly database: RunDatabase }): void;
}

export interface ContractEnd {
  /** What the witnesses have said until now. To be taken when the watching ends: lines that come later are in no observation. */
  rawEvidence(): RawEvidence;
}

/** Contract v2, from a platform that is starting to the last observation. It records; what follows from it is derived elsewhere. */
export async function runContractV2(options: ContractOptions): Promise<ContractEnd> {
  const { substrate } = options;
  const [identities, ingressAuthority] = [createActorIdentities(), createIngressAuthority()];
  const { platform, booted } = boot(options);
  const [context, , firstAction] = await Promise.all([
    platform,
    platform.then((up) => step(up, 'images', () => recordPlatform(up, substrate))),
    platform.then((up) => step(up, 'objects', () => prepareFirstGeneration(up, identities, substrate.ready))),
    booted,
  ]);
  const { lulls } = context;
  const reached = lulls.until('generation-2', 'ended').then(() => recordReach(context, substrate));
  const [secondToken] = await Promise.all([rotateUnderTheActor(context, firstAction, reached), reached]);
  const authority = await ingressAuthority;
  const moved = step(context, 'identity-b', () => moveActorIdentity(context, identities));
  const started = lulls.until('identity-b', 'ended').then(() => step(context, 'ingress', () => startIngress(context, authority)));
  const [ingress, { last, replaced }] = await Promise.all([
    started,
    Promise.all([started, moved]).then(([ready]) => rotateUnderTheProduct(context, ready, secondToken)),
    context.spans.measure('side probes', () => runSideProbes(context, { authority, ingress: started, substrate })),
  ]);
  await Promise.all([
    step(context, 'probes', () => probeIngress(context, ingress, replaced)),
    last.then(({ pod }) => Promise.all([
      step(context, 'scale-to-zero', () => scaleToZero(context, pod)),
      readAuditLog(substrate), // nearly all of it is written: while the last Pod goes there is time
    ])),
  ]);
  const collected = await step(context, 'collect', () => collectObservations(context, substrate));
  const { cluster, lines } = context;
  return { rawEvidence: () => ({ ...collected, manifests: cluster.created.map(toObservedObject), containerLogs: containerLogsOf(lines) }) };
}

/** The platform takes objects before it can run Pods: what needs no Pod begins then, and the step ends with the node. */
function boot(options: ContractOptions): { readonly platform: Promise<ContractContext>; readonly booted: Promise<void> } {
  const { promise: platform, resolve, reject } = Promise.withResolvers<ContractContext>();
  const booted = step(options, 'boot', async () => {
    resolve(await comeUp(options));
    await expecting({ expected: 'a node that is Ready, and controllers that work' }, () => options.substrate.ready);
  });
  booted.catch(reject);
  return { platform, booted };
}

async function comeUp(options: ContractOptions): Promise<ContractContext> {
  const { substrate, recorder, spans, signal } = options;
  const [cluster, database, images] = await Promise.all([
    spans.measure('boot: cluster', async () => {
      const access = await expecting({ expected: 'the cluster to be there' }, () => substrate.cluster);
      const clients = options.connect(access);
      const watched = await startWatches(clients, options);
      options.meet({ lines: watched.lines });
      return { access, cluster: clients, ...watched };
    }),
    spans.measure('boot: database', async () => {
      const access = await expecting({ expected: 'PostgreSQL to be there' }, () => substrate.database);
      const prepared = await expecting({ expected: 'PostgreSQL to take roles, migrations and projects' }, () => prepareDatabase(access, options.releasers));
      options.meet({ database: prepared });
      return prepared;
    }),
    spans.measure('boot: images', () => expecting({ expected: 'the product’s images to be on the node' }, () => substrate.images)),
    recordSource(options),
  ]);
  const { runId, source, directory, releasers } = options;
  return {
    runId,
    source,
    directory,
    signal,
    releasers,
    spans,
    recorder,
    say: (line) => options.say(line),
    pepper: randomBytes(32).toString('base64url'),
    lulls: new Lulls(signal),
    ...cluster,
    database,
    images,
    clusterIdentity: chooseClusterIdentity(cluster.access.clusterIdentity),
  };
}
