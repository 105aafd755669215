import { KubeConfig } from '@kubernetes/client-node';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { CONTRACT_NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import type { ContestEnding } from '../../../evidence/probe-facts.ts';
import { recoverExecution, toClusterAccess, type ExecutionCommand } from '../../../images/cluster-admin/src/index.ts';
import { impersonate } from '../../cluster/clients.ts';
import { Authority } from '../../pki/authority.ts';
import { HarnessError } from '../../run/errors.ts';
import { approve, type ApprovedAction } from '../approval.ts';
import { compareAndSwap } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import { authorityFor, executeOnHost, PROBE_DELIVERY } from '../host-execution.ts';
import { recoverDeliveriesOf } from '../recovery.ts';
import type { CrashOrder } from './crashing-executor.ts';
import { FaultProxy, type Fate, type PassingRequest } from './fault-proxy.ts';
import { recordProbe } from './record-probe.ts';

const { workerNamespace, targetSecret, deployment } = PROBE_NAMES;
const SECRET_PATH = `/api/v1/namespaces/${workerNamespace}/secrets/${targetSecret}`;
const DEPLOYMENT_PATH = `/apis/apps/v1/namespaces/${workerNamespace}/deployments/${deployment}`;
/** A label of somebody else's: it moves the object's resourceVersion and takes nothing of the delivery's away. */
const RIVAL_LABEL = 'qinglong.io/rollout-probe-rival';

/** Four deliveries to the probes' own objects, each disturbed in another way, all through the product's public interface. */
export async function probeDeliveries(context: ContractContext): Promise<void> {
  const proxy = await FaultProxy.start(context.cluster.config, await Authority.create('ql3 rollout fault proxy'));
  context.releasers.add('fault proxy', () => proxy.stop());
  const through = throughProxy(context, proxy);
  // a process takes a while until it can be told what to do
  const executor = startExecutor(context);
  await context.lulls.until('identity-b', 'ended');
  await probeContest(context, proxy, through, 'competing-writer-secret', 1);
  await probeContest(context, proxy, through, 'competing-writer-deployment', 2);
  await context.lulls.until('session-1', 'ordered');
  await probeCrash(context, proxy, through, executor, 3);
  await context.lulls.until('session-1', 'ended');
  await probeLostResponse(context, proxy, through, 4);
}

/** Another writer changes the object between the delivery's read and its replace; afterwards the same command is run again, undisturbed. */
async function probeContest(context: ContractContext, proxy: FaultProxy, through: KubeConfig, probe: 'competing-writer-secret' | 'competing-writer-deployment', generation: number): Promise<void> {
  const action = await approveProbe(context, generation);
  const object = probe === 'competing-writer-secret' ? SECRET_PATH : DEPLOYMENT_PATH;
  await recordProbe(context, probe, `another writer changes ${object} before the delivery’s replace`, async () => {
    const watched = new StatusOfReplace(object);
    proxy.inject(onFirst(object, async () => {
      await rivalWrite(context, probe);
      return 'forward';
    }));
    proxy.listen(watched.hear);
    const { ending, errorCode } = await attempt(context, action.command, through);
    return { outcome: ending, facts: { deliveryId: action.plan.target.deliveryId, conflictStatus: watched.status, ending, errorCode } };
  });
  await settle(context, proxy, action, through);
}

/** The executor is killed after the Secret's replace and before the Deployment's; recovery must publish the same delivery and leave the Secret alone. */
async function probeCrash(context: ContractContext, proxy: FaultProxy, through: KubeConfig, executor: DoomedExecutor, generation: number): Promise<void> {
  const action = await approveProbe(context, generation);
  const { deliveryId } = action.plan.target;
  await recordProbe(context, 'crash-between-secret-and-deployment', 'SIGKILL to the executor when it is about to replace the Deployment', async () => {
    const reached = Promise.withResolvers<void>();
    proxy.inject(onFirst(DEPLOYMENT_PATH, () => {
      reached.resolve();
      return Promise.resolve('hold');
    }));
    const signal = await runAndKill(context, executor, action.command, through, reached.promise);
    proxy.inject(() => Promise.resolve('forward'));
    await recoverDeliveriesOf(context, PROBE_DELIVERY, through);
    await recoverExecution({ ...authorityFor(context, PROBE_DELIVERY, through), actionRef: action.plan.actionRef });
    const { publicationDigest } = await executeOnHost(context, PROBE_DELIVERY, action.command, undefined, through);
    return { outcome: `the executor died by ${signal}, recovery published`, facts: { deliveryId, signal, recoveredPublicationDigest: publicationDigest } };
  });
}

/** The API server carries the replace of the Secret out, and its answer is lost. */
async function probeLostResponse(context: ContractContext, proxy: FaultProxy, through: KubeConfig, generation: number): Promise<void> {
  const action = await approveProbe(context, generation);
  const { deliveryId } = action.plan.target;
  await recordProbe(context, 'lost-replace-response', `the answer to the replace of ${SECRET_PATH} is lost`, async () => {
    proxy.inject(onFirst(SECRET_PATH, () => Promise.resolve('lose-response')));
    const first = await attempt(context, action.command, through);
    proxy.inject(() => Promise.resolve('forward'));
    // a delivery that gave up is taken up again under the same command: what counts is that the Secret is not written twice
    const second = first.ending === 'converged' ? first : await attempt(context, action.command, through);
    return { outcome: second.ending, facts: { deliveryId, resource: 'secrets', ending: second.ending, publicationDigest: second.publicationDigest } };
  });
}

async function approveProbe(context: ContractContext, generation: number): Promise<ApprovedAction> {
  return await approve(
    context,
    { projectId: PROBE_NAMES.projectId, requester: CONTRACT_NAMES.requester, decider: CONTRACT_NAMES.decider },
    {
      actionRef: `probe/delivery-${generation}`,
      workerId: PROBE_NAMES.workerId,
      credentialId: `probe_generation_${generation}`,
      previousCredentialId: generation === 1 ? null : `probe_generation_${generation - 1}`,
      deploymentGeneration: `generation-probe_generation_${generation}`,
      delivery: PROBE_DELIVERY,
    },
  );
}

interface Attempt {
  readonly ending: ContestEnding;
  readonly errorCode: string | null;
  readonly publicationDigest: string | null;
}

async function attempt(context: ContractContext, command: ExecutionCommand, through: KubeConfig): Promise<Attempt> {
  try {
    const { publicationDigest } = await executeOnHost(context, PROBE_DELIVERY, command, undefined, through);
    return { ending: 'converged', errorCode: null, publicationDigest };
  } catch (error) {
    context.signal.throwIfAborted();
    return { ending: 'refused', errorCode: codeIn(error), publicationDigest: null };
  }
}

/** The code of the error or of the first of its causes that has one. */
function codeIn(error: unknown): string | null {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return null;
}

/** Without the disturbance the same command ends in a publication: what was provoked has left nothing behind that stops it. */
async function settle(context: ContractContext, proxy: FaultProxy, action: ApprovedAction, through: KubeConfig): Promise<void> {
  proxy.inject(() => Promise.resolve('forward'));
  const { ending, errorCode } = await attempt(context, action.command, through);
  if (ending !== 'converged') throw new HarnessError('QL3_CONTRACT', `expected ${action.plan.actionRef} to be published once nobody disturbs it, got ${errorCode}`);
}

async function rivalWrite(context: ContractContext, probe: string): Promise<void> {
  const { core, apps } = context.cluster;
  const relabel = <T extends { metadata?: { labels?: Record<string, string> } }>(object: T): T => ({ ...object, metadata: { ...object.metadata, labels: { ...object.metadata?.labels, [RIVAL_LABEL]: probe } } });
  if (probe === 'competing-writer-secret') {
    await compareAndSwap(`label Secret ${workerNamespace}/${targetSecret}`, async () =>
      core.replaceNamespacedSecret({ namespace: workerNamespace, name: targetSecret, body: relabel(await core.readNamespacedSecret({ namespace: workerNamespace, name: targetSecret })) }),
    );
  } else {
    await compareAndSwap(`label Deployment ${workerNamespace}/${deployment}`, async () =>
      apps.replaceNamespacedDeployment({ namespace: workerNamespace, name: deployment, body: relabel(await apps.readNamespacedDeployment({ namespace: workerNamespace, name: deployment })) }),
    );
  }
}

/** Applies to the first replace of one object; everything else is forwarded. */
function onFirst(path: string, fault: () => Promise<Fate>): (request: PassingRequest) => Promise<Fate> {
  let done = false;
  return async (request) => {
    if (done || request.method !== 'PUT' || request.path !== path) return 'forward';
    done = true;
    return await fault();
  };
}

/** The status that the first replace of an object was answered with, 0 when there was none. */
class StatusOfReplace {
  readonly #path: string;
  #status = 0;

  constructor(path: string) {
    this.#path = path;
  }

  readonly hear = ({ method, path }: PassingRequest, status: number): void => {
    if (this.#status === 0 && method === 'PUT' && path === this.#path) this.#status = status;
  };

  get status(): number {
    return this.#status;
  }
}

interface DoomedExecutor {
  readonly child: ChildProcess;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
  readonly said: () => string;
}

/** Ends with the run, whether or not it was given anything to do. */
function startExecutor(context: ContractContext): DoomedExecutor {
  const child = fork(new URL('crashing-executor.ts', import.meta.url), [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], signal: AbortSignal.any([context.signal, AbortSignal.timeout(DEADLINES.jobMs)]), killSignal: 'SIGKILL' });
  child.on('error', () => undefined); // killed by the signal: its exit tells
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-1_000)));
  context.releasers.add('the executor that is to crash', () => Promise.resolve(void child.kill('SIGKILL')));
  const exited = once(child, 'close') as DoomedExecutor['exited'];
  exited.catch(() => undefined); // awaited by who gives it something to do
  return { child, exited, said: () => said };
}

/** Runs the command in a process of its own and kills that when the moment has come; the signal that ended it, or `exit` when it ended by itself. */
async function runAndKill(context: ContractContext, { child, exited, said }: DoomedExecutor, command: ExecutionCommand, through: KubeConfig, moment: Promise<void>): Promise<string> {
  const { targets, database } = authorityFor(context, PROBE_DELIVERY);
  const order: CrashOrder = { cluster: toClusterAccess(impersonate(through, PROBE_DELIVERY.issuerUser)), targets, database, command, pepper: context.pepper };
  child.send(order);
  const reached = await Promise.race([moment.then(() => true), exited.then(() => false)]);
  child.kill('SIGKILL');
  const [code, signal] = await exited;
  context.signal.throwIfAborted();
  if (!reached) throw new HarnessError('QL3_CONTRACT', `expected the executor to come to its replace of the Deployment and be killed there, it ended before (exit code ${code}, signal ${signal}): ${said()}`);
  return signal ?? `exit ${code}`;
}

function throughProxy(context: ContractContext, proxy: FaultProxy): KubeConfig {
  const { server, caPem } = proxy.endpoint;
  const config = new KubeConfig();
  // the proxy holds the administrator's key; whoever goes through it brings a certificate of no use elsewhere, or a token
  const user = context.cluster.config.getCurrentUser();
  if (user === null) throw new TypeError('expected a kubeconfig with a current user');
  config.loadFromOptions({
    clusters: [{ name: 'probe', server, caData: Buffer.from(caPem).toString('base64'), skipTLSVerify: false }],
    users: [{ ...user, name: 'probe' }],
    contexts: [{ name: 'probe', cluster: 'probe', user: 'probe' }],
    currentContext: 'probe',
  });
  return config;
}
