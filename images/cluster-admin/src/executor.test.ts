import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { ExecutionCommand } from '../../core/execution.ts';
import { bindRole } from '../test-support/delivery-world.ts';
import { createExecutionWorld, type ExecutionWorld } from '../test-support/execution-world.ts';
import { startForwarder } from '../test-support/forwarder.ts';

const EXECUTOR = 'QL3_WORKER_CREDENTIAL_EXECUTOR_';
const DATABASE = 'QL3_POSTGRES_WORKER_CREDENTIAL_EXECUTOR_';

interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the executor as a process', () => {
  let world: ExecutionWorld;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ql3-executor-test-'));
    world = await createExecutionWorld();
    await prepareServiceAccount();
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => world.reset());

  /** The folder that the kubelet would project: a token of the executor's own ServiceAccount, which is the issuer here. */
  async function prepareServiceAccount(): Promise<void> {
    const { admin, options, serviceAccountName, issuer } = world.cluster;
    const namespace = options.stageNamespace;
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await admin.call({ method: 'POST', path: accounts, body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'executor', namespace } }, operation: 'POST executor' });
    await bindRole(admin, namespace, 'executor-token-issuer', { kind: 'ServiceAccount', name: 'executor', namespace }, [
      { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [serviceAccountName], verbs: ['create'] },
    ]);
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
    const answer = await admin.call({ method: 'POST', path: `${accounts}/executor/token`, body, operation: 'POST executor/token' });
    mkdirSync(join(folder, 'serviceaccount'));
    write('serviceaccount/token', (answer as { status: { token: string } }).status.token);
    write('serviceaccount/ca.crt', issuer.caPem);
    write('serviceaccount/namespace', namespace);
    write('pepper', world.management.pepper.toString('base64url'));
    write('password', world.management.database.config('ql3_worker_credential_executor').password);
  }

  function write(name: string, content: string, mode = 0o440): string {
    const path = join(folder, name);
    rmSync(path, { force: true });
    writeFileSync(path, content, { mode });
    chmodSync(path, mode);
    return path;
  }

  function environment(command: ExecutionCommand, server = world.cluster.issuer.server): NodeJS.ProcessEnv {
    const { options, serviceAccountName, identitySecretName } = world.cluster;
    const database = world.management.database.config('ql3_worker_credential_executor');
    const { hostname, port } = new URL(server);
    return {
      PATH: process.env['PATH'],
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      [`${EXECUTOR}ENABLED`]: 'true',
      [`${EXECUTOR}CLUSTER_IDENTITY`]: options.clusterIdentity,
      [`${EXECUTOR}STAGE_NAMESPACE`]: options.stageNamespace,
      [`${EXECUTOR}TARGET_NAMESPACE`]: options.namespace,
      [`${EXECUTOR}TARGET_SECRET`]: options.targetSecretName,
      [`${EXECUTOR}TARGET_DEPLOYMENT`]: options.targetDeploymentName,
      [`${EXECUTOR}DELIVERY_SERVICE_ACCOUNT`]: serviceAccountName,
      [`${EXECUTOR}IDENTITY_SECRET`]: identitySecretName,
      [`${EXECUTOR}COMMAND_FILE`]: write('command.json', JSON.stringify(command)),
      [`${EXECUTOR}PEPPER_FILE`]: join(folder, 'pepper'),
      [`${EXECUTOR}SERVICE_ACCOUNT_ROOT`]: join(folder, 'serviceaccount'),
      [`${DATABASE}HOST`]: database.host,
      [`${DATABASE}PORT`]: String(database.port),
      [`${DATABASE}DATABASE`]: database.database,
      [`${DATABASE}USER`]: database.user,
      [`${DATABASE}PASSWORD_FILE`]: join(folder, 'password'),
      [`${DATABASE}TLS_MODE`]: 'disable',
      [`${DATABASE}ALLOW_INSECURE`]: 'true',
    };
  }

  async function run(env: NodeJS.ProcessEnv, args: readonly string[] = [], entry = 'executor.ts'): Promise<Exit> {
    const child = spawn(process.execPath, [join(import.meta.dirname, entry), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  }

  test('publishes with a TokenRequest, and answers the same command again without any connection to the API server', async () => {
    const { plan, command } = await world.management.approve();
    const line = { schemaVersion: 1, component: 'qinglong3-worker-credential-executor', event: 'execution_completed', actionRef: plan.actionRef, dispatchId: command.dispatchId };
    const first = await run(environment(command));
    assert.equal(first.stderr, '');
    assert.equal(first.stdout, `${JSON.stringify({ ...line, executionStatus: 'succeeded', deliveryStatus: 'published', tokenRequestUsed: true })}\n`);
    assert.equal(first.code, 0);

    await using forwarder = await startForwarder(world.cluster.issuer.server);
    const replay = await run(environment(command, forwarder.server));
    assert.equal(replay.stdout, `${JSON.stringify({ ...line, executionStatus: 'existing', deliveryStatus: 'existing', tokenRequestUsed: false })}\n`);
    assert.equal(forwarder.connections(), 0);
  });

  test('a refusal is one line on stderr, without a word of secrets, and exit code 1', async () => {
    const { command } = await world.management.approve();
    await world.management.bind('operator-a', null);
    const { code, stdout, stderr } = await run(environment(command));
    await world.management.bind('operator-a', 'owner');
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.deepEqual(JSON.parse(stderr), {
      schemaVersion: 1,
      component: 'qinglong3-worker-credential-executor',
      event: 'execution_failed',
      name: 'ExecutionError',
      code: 'QL3_WORKER_CREDENTIAL_EXECUTION_REFUSED',
      reason: 'policy_denied',
    });
  });

  test('all that is wrong with its environment is said at once, and nothing is opened', async () => {
    const { command } = await world.management.approve();
    const env = environment(command);
    const wrong = {
      ...env,
      [`${EXECUTOR}ENABLED`]: 'yes',
      [`${EXECUTOR}TARGET_SECRET`]: '',
      [`${EXECUTOR}COMMAND_FILE`]: write('open.json', JSON.stringify(command), 0o666),
      [`${EXECUTOR}PEPPER_FILE`]: write('short-pepper', 'abc'),
      [`${DATABASE}ALLOW_INSECURE`]: '',
    };
    const { code, stderr } = await run(wrong);
    assert.equal(code, 64);
    const { reason } = JSON.parse(stderr) as { reason: string };
    for (const name of ['ENABLED', 'TARGET_SECRET', 'COMMAND_FILE', 'PEPPER_FILE', 'TLS_MODE']) assert.match(reason, new RegExp(name));
    assert.equal(await world.executionState(command.dispatchId), 'absent');
  });

  const badCommands: Record<string, (command: ExecutionCommand) => string> = {
    'an unknown key': (command) => JSON.stringify({ ...command, extra: 1 }),
    'a missing key': (command) => JSON.stringify({ ...command, auditEventId: undefined }),
    'another schema': (command) => JSON.stringify({ ...command, schemaVersion: 2 }),
    'more than 16 KiB': (command) => JSON.stringify(command) + ' '.repeat(16_384),
    'no JSON': () => '{',
  };
  for (const [name, content] of Object.entries(badCommands)) {
    test(`a command file with ${name} is a usage error`, async () => {
      const command: ExecutionCommand = {
        schemaVersion: 1, actionRef: 'a', approvalRequestId: 'r', consumptionId: 'c', dispatchId: 'd', auditEventId: '3b241101-e2bb-4255-8caf-4136c566a962',
      };
      const env = { ...environment(command), [`${EXECUTOR}COMMAND_FILE`]: write('bad.json', content(command)) };
      assert.equal((await run(env)).code, 64);
    });
  }

  test('recovery as a process: a page of deliveries, an execution, and its usage', async () => {
    const { plan, command } = await world.management.approve();
    await world.execute(command);
    const page = await run(environment(command), ['deliveries', '--limit=64'], 'recovery.ts');
    assert.equal(page.stderr, '');
    const { deliveries } = JSON.parse(page.stdout) as { deliveries: { deliveryId: string; status: string }[] };
    assert.equal(deliveries.find(({ deliveryId }) => deliveryId === plan.target.deliveryId)?.status, 'waiting_observation');
    const execution = await run(environment(command), ['execution', `--action=${plan.actionRef}`], 'recovery.ts');
    assert.equal((JSON.parse(execution.stdout) as { status: string }).status, 'existing');
    assert.equal((await run(environment(command), ['everything'], 'recovery.ts')).code, 64);
  });

  test('planning as a process', async () => {
    const database = world.management.database.config('ql3_worker_credential_manager');
    const prefix = 'QL3_POSTGRES_WORKER_CREDENTIAL_MANAGER_';
    const request = { schemaVersion: 1, principal: world.management.requester, request: { ...world.management.planRequest(), lifeMs: 60_000 } };
    const env = {
      QL3_WORKER_CREDENTIAL_MANAGER_ENABLED: 'true',
      QL3_WORKER_CREDENTIAL_MANAGER_REQUEST_FILE: write('plan.json', JSON.stringify(request)),
      [`${prefix}URL`]: `postgres://${database.user}:${encodeURIComponent(database.password)}@${database.host}:${database.port}/${database.database}`,
      [`${prefix}TLS_MODE`]: 'disable',
      [`${prefix}ALLOW_INSECURE`]: 'true',
    };
    const { stdout, stderr } = await run(env, ['plan'], 'manage.ts');
    assert.equal(stderr, '');
    const { result } = JSON.parse(stdout) as { result: { planDigest: string; actionRef: string } };
    assert.equal(result.actionRef, request.request.actionRef);
    assert.match(result.planDigest, /^[0-9a-f]{64}$/);
  });
});
