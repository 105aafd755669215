import { Exec } from '@kubernetes/client-node';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { v7 as uuidV7 } from 'uuid';
import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { lineInWords } from '../../cluster/line-words.ts';
import { manifestOf, renderManifests } from '../../manifests/render.ts';
import { expecting } from '../../progress/activity.ts';
import { HarnessError } from '../../run/errors.ts';
import { compareAndSwap, createAll, toClusterError } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import type { WorkerIdentity } from '../identity.ts';
import type { Replaced } from '../phase-b.ts';
import { podStatus } from '../pods.ts';
import type { Ingress } from '../steps/ingress.ts';
import { recordAttempt } from './record-probe.ts';

const SCRIPT = readFileSync(new URL('ingress-probe.script.mjs', import.meta.url), 'utf8');
const PROBE_POD = 'ql3-worker-ingress-probe';
const EXEC_DEADLINE_MS = 30_000;
const RELOAD_INTERVAL_MS = 500;

/** What the Pod printed of one attempt. */
interface Answer {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly answered: boolean;
  readonly status: number | null;
  readonly code: string | null;
  readonly localPort: number | null;
  readonly error: string | null;
}

/** The old client certificate is revoked at the ingress, then a Pod presents what must not open the door any more. */
export async function probeIngress(context: ContractContext, ingress: Ingress, replaced: Replaced): Promise<void> {
  const crlPem = await ingress.authority.revoke([replaced.identity.client.serial]);
  await context.spans.measure('probe: trust reload', () => reloadTrust(context, ingress, crlPem));
  const answers = await present(context, ingress, replaced);
  const answerOf = (name: string): Answer => {
    const answer = answers.get(name);
    if (answer === undefined) throw new HarnessError('QL3_CONTRACT', `expected the ingress probe to print an answer for ${name}, got ${[...answers.keys()].join(', ') || 'none'}`);
    return answer;
  };
  const none = answerOf('handshake-without-certificate');
  recordAttempt(context, 'handshake-without-certificate', 'a request without a client certificate', none, { outcome: describe(none), facts: { refused: !none.answered, localPort: none.localPort } });
  const revoked = answerOf('handshake-revoked-certificate');
  recordAttempt(context, 'handshake-revoked-certificate', 'a request with the replaced client certificate', revoked, {
    outcome: describe(revoked),
    facts: { refused: !revoked.answered, localPort: revoked.localPort, fingerprint: replaced.identity.client.fingerprint },
  });
  for (const { probe, credentialId } of replaced.credentials) {
    const answer = answerOf(probe);
    recordAttempt(context, probe, `a request with the token of ${credentialId}`, answer, { outcome: describe(answer), facts: { credentialId, status: answer.status ?? 0, code: answer.code ?? '' } });
  }
}

function describe(answer: Answer): string {
  return answer.answered ? `answered ${answer.status} ${answer.code ?? ''}`.trim() : `refused: ${answer.error}`;
}

async function present(context: ContractContext, ingress: Ingress, replaced: Replaced): Promise<ReadonlyMap<string, Answer>> {
  const attempt = (name: string, identity: WorkerIdentity | null, token: string | null): object => ({
    name,
    url: `${ingress.origin}/api/v3/worker-ingress/workers/${NAMES.workerId}/sessions/${uuidV7()}/heartbeat`,
    ca: ingress.authority.certificatePem,
    certificate: identity?.client.certificatePem ?? null,
    privateKey: identity?.client.privateKeyPem ?? null,
    token,
  });
  const attempts = [
    attempt('handshake-without-certificate', null, null),
    attempt('handshake-revoked-certificate', replaced.identity, null),
    ...replaced.credentials.map(({ probe, token }) => attempt(probe, replaced.currentIdentity, token.toString('latin1'))),
  ];
  await createAll(context.cluster, renderManifests('ingress-probe', { workerImage: context.images.worker.name, script: SCRIPT, attempts: Buffer.from(JSON.stringify(attempts)) }));
  for (const { token } of replaced.credentials) token.fill(0);
  const pod = await context.watches.workerPods.until(
    'the ingress probe to end',
    (pods) => pods.find((candidate) => candidate.metadata.name === PROBE_POD && podStatus(candidate).containerStatuses?.[0]?.state?.terminated !== undefined),
    DEADLINES.jobMs,
  );
  await context.lines.ended(pod.metadata.uid, DEADLINES.jobMs);
  const lines = context.lines.all.filter((line) => line.podUid === pod.metadata.uid && line.line['event'] === 'ingress_probed');
  return new Map(lines.map(({ line }) => [String(line['attempt']), line as unknown as Answer]));
}

/**
 * Puts the new revocation list in place and has Cluster Control read it. When the node has brought a changed ConfigMap to the Pod
 * cannot be watched from outside, so the reload is asked for until Control says that it holds the list with the revoked serial.
 */
async function reloadTrust(context: ContractContext, ingress: Ingress, clientCrlPem: string): Promise<void> {
  const { namespace, podName: name, podUid } = ingress.pod;
  const trust = manifestOf(renderManifests('control-trust', { controlNamespace: namespace, clientCaPem: ingress.authority.certificatePem, clientCrlPem }), 'ConfigMap');
  await compareAndSwap(`replace ConfigMap ${namespace}/${trust.metadata.name}`, async () => {
    const current = await context.cluster.core.readNamespacedConfigMap({ namespace, name: trust.metadata.name });
    await context.cluster.core.replaceNamespacedConfigMap({ namespace, name: trust.metadata.name, body: { ...current, data: trust.data ?? {} } });
  });
  // a changed Pod is synchronised at once, its volumes with it; otherwise the node looks again in a minute or so
  await compareAndSwap(`annotate Pod ${namespace}/${name}`, async () => {
    const pod = await context.cluster.core.readNamespacedPod({ namespace, name });
    await context.cluster.core.replaceNamespacedPod({ namespace, name, body: { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, 'qinglong.io/client-trust': 'revised' } } } });
  });
  const deadlineAt = performance.now() + DEADLINES.rolloutMs;
  for (;;) {
    const seen = context.lines.all.length;
    await execute(context, ingress, ['node', '/app/control.mjs', 'reload']);
    const reloaded = await context.lines.until(
      'Cluster Control to reload its trust material',
      (line) => line.podUid === podUid && context.lines.all.indexOf(line) >= seen && (line.line['event'] === 'trust_reloaded' || line.line['event'] === 'trust_reload_failed'),
      DEADLINES.podStartedMs,
    );
    if (reloaded.line['event'] === 'trust_reload_failed') throw new HarnessError('QL3_CONTRACT', `expected Cluster Control to take the new revocation list, got ${lineInWords(reloaded.line)}`);
    if (reloaded.line['revokedCertificates'] === 1) return;
    if (performance.now() > deadlineAt) throw new HarnessError('QL3_WAIT_TIMEOUT', `expected the new revocation list in Pod ${namespace}/${name} within ${DEADLINES.rolloutMs} ms; last seen: ${lineInWords(reloaded.line)}`);
    await delay(RELOAD_INTERVAL_MS, undefined, { signal: context.signal });
  }
}

async function execute(context: ContractContext, ingress: Ingress, command: string[]): Promise<void> {
  await expecting({ expected: `\`${command.join(' ')}\` in Pod ${ingress.pod.podName} to end`, deadlineMs: EXEC_DEADLINE_MS }, () => executeNow(context, ingress, command));
}

async function executeNow(context: ContractContext, ingress: Ingress, command: string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = AbortSignal.timeout(EXEC_DEADLINE_MS);
  const abandon = AbortSignal.any([late, context.signal]);
  abandon.addEventListener('abort', () => reject(late.aborted ? new HarnessError('QL3_WAIT_TIMEOUT', `expected \`${command.join(' ')}\` in Pod ${ingress.pod.podName} to end within ${EXEC_DEADLINE_MS} ms`) : (context.signal.reason as Error)), { once: true });
  promise.catch(() => undefined);
  const output: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output.push(chunk);
      done();
    },
  });
  const connecting = new Exec(context.cluster.config).exec(ingress.pod.namespace, ingress.pod.podName, 'control', command, sink, sink, null, false, (status) => {
    if (status.status === 'Success') resolve();
    else reject(new HarnessError('QL3_CONTRACT', `expected \`${command.join(' ')}\` in Pod ${ingress.pod.podName} to succeed, got ${status.message ?? status.reason}: ${Buffer.concat(output).toString('utf8').slice(0, 500)}`));
  });
  connecting.catch((error: unknown) => reject(toClusterError(`run \`${command.join(' ')}\` in Pod ${ingress.pod.podName}`, error)));
  const socket = await Promise.race([connecting.catch(() => promise.then(() => connecting)), promise.then(() => connecting)]);
  socket.onerror = (event: { message?: string }): void => reject(new HarnessError('QL3_CLUSTER_ANSWER', `the connection to \`${command.join(' ')}\` in Pod ${ingress.pod.podName} failed: ${event.message ?? 'no reason'}`));
  try {
    await promise;
  } finally {
    socket.close();
  }
}
