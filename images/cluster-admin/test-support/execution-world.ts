import { randomBytes } from 'node:crypto';
import { uuidV7ForTests } from './session-id.ts';
import { observedRecord } from '../../core/delivery-record.ts';
import type { ExecutionCommand } from '../../core/execution.ts';
import type { Database } from '../../postgres/connection.ts';
import { appendDelivery, findDelivery } from '../../postgres/repositories/delivery-ledger.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { WorkerCredentialDelivery } from '../src/delivery/delivery.ts';
import { WorkerCredentialKubernetesDeliveryAdapter } from '../src/delivery/delivery-adapter.ts';
import { executeAction, type AuthorizationQuestion, type ExecutionEvent, type ExecutionOutcome, type ExecutionParts } from '../src/execution/execute-action.ts';
import type { TokenRequestSession } from '../src/token-request/token-request-session.ts';
import { createDeliveryWorld, type DeliveryWorld } from './delivery-world.ts';
import { createManagementWorld, type ManagementWorld } from './management-world.ts';
import { tapConnection, type Tap } from './tapped-connection.ts';
import { openTestCluster } from './test-cluster.ts';

/** A cluster and a database, and an executor whose every call can be seen and disturbed. */
export interface ExecutionWorld extends AsyncDisposable {
  readonly cluster: DeliveryWorld;
  readonly management: ManagementWorld;
  readonly executor: Database;
  readonly tap: Tap;
  /** What happened, in order: questions to the caller, events, the opening of a session, calls that write. */
  readonly story: string[];
  /** How often a TokenRequest session was opened. */
  sessions(): number;
  session(): TokenRequestSession;
  execute(command: ExecutionCommand, changes?: Partial<ExecutionParts>): Promise<ExecutionOutcome>;
  /** The Worker has used the credential of this delivery: version 3. */
  observe(deliveryId: string): Promise<void>;
  /** As if the lease of this execution had run out. */
  lapse(dispatchId: string): Promise<void>;
  /** As if the request had been made and approved an hour earlier. */
  age(approvalRequestId: string): Promise<void>;
  executionState(dispatchId: string): Promise<string>;
  reset(): Promise<void>;
}

const EVIDENCE = { tokenLifetimeSeconds: 600, issuerAllowedChecks: 1, issuerDeniedChecks: 8, allowedChecks: 8, deniedChecks: 20 };

export async function createExecutionWorld(): Promise<ExecutionWorld> {
  await using stack = new AsyncDisposableStack();
  const testCluster = stack.use(await openTestCluster());
  const cluster = stack.use(await createDeliveryWorld(testCluster));
  const management = stack.use(await createManagementWorld(cluster.target.digest));
  const executor = management.database.open('ql3_worker_credential_executor');
  const story: string[] = [];
  let sessions = 0;
  const tap = tapConnection(cluster.admin, (operation) => {
    if (/^(POST|PUT|DELETE)/.test(operation)) story.push(operation.split(' in ')[0]!.replace(/ql3w-stage-.*/, 'STAGE'));
  });
  const owned = stack.move();
  const world: ExecutionWorld = {
    cluster,
    management,
    executor,
    tap,
    story,
    sessions: () => sessions,
    session: () => ({
      async withDelivery<T>(operation: (delivery: WorkerCredentialDelivery) => Promise<T>) {
        sessions += 1;
        story.push('session');
        return { result: await operation(new WorkerCredentialKubernetesDeliveryAdapter(cluster.options, tap.clients)), evidence: EVIDENCE };
      },
    }),
    execute: (command, changes) =>
      executeAction(
        {
          database: executor,
          session: world.session(),
          targetDigest: cluster.target.digest,
          pepper: management.pepper,
          confirmAuthorization: async ({ purpose }: AuthorizationQuestion) => void story.push(`confirmed ${purpose}`),
          onEvent: (event: ExecutionEvent) => void story.push(event.event),
          ...changes,
        },
        command,
      ),
    observe: (deliveryId) => observe(management.superuser, deliveryId),
    async lapse(dispatchId) {
      await withoutTriggers(management.superuser, `UPDATE ql3.approved_action_executions SET created_at_ms = 1, claimed_at_ms = 2, started_at_ms = 3, lease_expires_at_ms = 4 WHERE dispatch_id = '${dispatchId}'`);
    },
    async age(approvalRequestId) {
      await withoutTriggers(management.superuser, `UPDATE ql3.approval_requests SET requested_at_ms = requested_at_ms - 3600000, decided_at_ms = decided_at_ms - 3600000, expires_at_ms = expires_at_ms - 3600000 WHERE request_id = '${approvalRequestId}'`);
    },
    async executionState(dispatchId) {
      const { rows } = await executor.query<{ state: string }>(`SELECT state FROM ql3.approved_action_executions WHERE dispatch_id = $1`, [dispatchId]);
      return rows[0]?.state ?? 'absent';
    },
    async reset() {
      await cluster.reset();
      story.length = 0;
      tap.operations.length = 0;
      sessions = 0;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return world;
}

async function observe(superuser: Database, deliveryId: string): Promise<void> {
  await inTransaction(superuser, async (sql) => {
    const published = (await findDelivery(sql, deliveryId))!;
    const observedSessionId = uuidV7ForTests();
    const observedAtMs = published.publishedAtMs! + 1;
    const { rows } = await sql.query<{ version: number; generation: number; session_id: string }>(
      `SELECT version, generation, session_id FROM ql3.worker_session_history WHERE worker_id = $1 ORDER BY version DESC LIMIT 1`,
      [published.workerId],
    );
    const latest = rows[0];
    const version = latest === undefined ? 0 : latest.version + 1;
    await sql.query(
      `INSERT INTO ql3.worker_session_history (worker_id, version, session_id, generation, status, reason, replaced_session_id, available_slots,
         lease_expires_at_ms, credential_id, client_certificate_sha256, client_certificate_serial, recorded_at_ms)
       VALUES ($1, $2, $3, $4, 'online', 'registered', $5, 1, 9000000000000, $6, $7, 'ab', $8)`,
      [
        published.workerId, version, observedSessionId, (latest?.generation ?? 0) + 1, latest?.session_id ?? null, published.credentialId,
        randomBytes(32).toString('hex'), observedAtMs,
      ],
    );
    await appendDelivery(sql, observedRecord(published, { observedAtMs, observedSessionId, observedSessionVersion: version }));
  });
}

/** Time cannot be made to pass, and no role may rewrite it: the owner of the server does. */
async function withoutTriggers(superuser: Database, statement: string): Promise<void> {
  const client = await superuser.connect();
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`);
  } finally {
    client.release();
  }
}
