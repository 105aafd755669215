import { CONTRACT_NAMES } from '../../evidence/contract-names.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, PROBE_DELIVERY, RECOVERY_ISSUER } from '../../evidence/identities.ts';
import { numberAt, textAt } from '../../evidence/facts/fields.ts';
import type { Observation, ObservationBodies, ObservedObject } from '../../evidence/observation.ts';
import { shortened } from '../../evidence/shortened.ts';
import type { RunClock } from './timeline/clock.ts';

/** One observation as a person would tell it. What is in quotation marks there is the evidence's own word. */
export function tellObservation(observation: Observation, clock: RunClock): string {
  const { kind, body } = observation;
  switch (kind) {
    case 'run.step':
      return `step ${body.step} ${body.state}`;
    case 'run.started':
      return `a run on ${body.substrate} of revision ${body.sourceRevision.slice(0, 12)}, ${body.treeClean ? 'clean' : 'with changes that are in no commit'}`;
    case 'platform.node':
      return `node ${body.name}: kubelet ${body.kubeletVersion}, ${body.containerRuntimeVersion}`;
    case 'image.built':
      return `image ${body.name} was built: ${body.imageId.slice(0, 19)}`;
    case 'image.on-node':
      return `the node lists ${body.names.join(', ')}: ${body.imageId.slice(0, 19)}`;
    case 'container.exited':
      return `container ${body.containerId.slice(0, 30)} ended with exit code ${body.exitCode}`;
    case 'api.object':
      return `read ${tellObject(body.object)}`;
    case 'api.watched':
      return `${body.type} ${tellObject(body.object)}`;
    case 'api.audit':
      return tellRequest(body);
    case 'database.rows':
      return tellRows(body, clock);
    case 'database.current-user':
      return `connection ${body.connection} is ${body.currentUser}`;
    case 'action.authorization-confirmed':
      return `authorization for action ${body.generation} was confirmed ${body.purpose.replaceAll('_', ' ')}${body.replay ? ', for its replay' : ''}`;
    case 'action.completed':
      return `action ${body.generation}${body.replay ? ', replayed' : ''}: ${body.output.executionStatus}, ${body.output.tokenRequestUsed ? 'with' : 'without'} a token request`;
    case 'action.token-session':
      return `token session ${body.generation} ended; its client was ${body.clientDisposed ? '' : 'not '}disposed of`;
    case 'action.recovery-session':
      return `a recovery pass over ${body.deliveries.length} deliveries; its client was ${body.clientDisposed ? '' : 'not '}disposed of`;
    case 'process.line':
      return `Pod ${body.podName} printed ${tellLine(body.line)}`;
    case 'ingress.line':
      return `Control printed ${tellLine(body.line)}`;
    case 'pki.identity':
      return `TLS identity ${body.generation} was made, CA ${body.caDigest.slice(0, 12)}`;
    case 'probe.result':
      return `${body.probe}: ${body.attempt}: ${body.outcome}`;
    default:
      return `${kind.split('.')[1] ?? kind}: ${Object.entries(body).slice(0, 4).map(([key, value]) => `${key} ${typeof value === 'object' ? '…' : String(value)}`).join(', ')}`;
  }
}

function tellObject({ kind, metadata, ...rest }: ObservedObject): string {
  const phase = textAt(rest, 'status', 'phase');
  const generation = metadata.generation === undefined ? '' : `, generation ${metadata.generation}`;
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}${generation}, resourceVersion ${metadata.resourceVersion}${phase === null ? '' : `, ${phase}`}`;
}

function tellRequest(event: ObservationBodies['api.audit']): string {
  const review = event.accessReview;
  const what = review === null
    ? `${event.verb} ${event.resource}${event.subresource === null ? '' : `/${event.subresource}`} ${event.namespace ?? ''}/${event.name ?? ''}${event.resourceVersion === null ? '' : ` at resourceVersion ${event.resourceVersion}`}`
    : `review of ${review.verb} ${review.resource}${review.subresource === '' ? '' : `/${review.subresource}`} ${review.namespace}/${review.name}: ${review.allowed ? 'allowed' : 'denied'}`;
  return `${tellIdentity(event.impersonatedUser ?? event.user)}: ${what}, answered ${event.code}`;
}

/** Identities that play a part in the contract, by their part. */
const PARTS: Readonly<Record<string, string>> = { [DELIVERY]: 'the delivery', [HOST_ISSUER]: 'the issuer on the host', [JOB_ISSUER]: 'the executor', [RECOVERY_ISSUER]: 'the recovery', [PROBE_DELIVERY]: 'the delivery of the probes' };

export function tellIdentity(user: string): string {
  return PARTS[user] ?? user.replace(/^system:serviceaccount:/, '');
}

/** What of a line of the product is worth telling, when it is there. */
const LINE_FIELDS = ['operation', 'status', 'code', 'sessionId', 'generation', 'databaseUser', 'tlsProtocol', 'protocol', 'recordsFound', 'rolloutRecordsFound', 'sessionsFound', 'record', 'executionStatus', 'tokenRequestUsed', 'signal'] as const;
const [MOST_FIELDS, LONGEST_VALUE] = [5, 80];

function tellLine(line: Readonly<Record<string, unknown>>): string {
  const told = LINE_FIELDS.flatMap((key) => tellScalar(line[key]).map((value) => `${key} ${value}`)).slice(0, MOST_FIELDS);
  return `${tellScalar(line['event'])[0] ?? 'a line'}${told.length === 0 ? '' : ` (${told.join(', ')})`}`;
}

function tellScalar(value: unknown): readonly string[] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [shortened(String(value), LONGEST_VALUE)] : [];
}

type Row = Readonly<Record<string, unknown>>;
const OWN: readonly string[] = CONTRACT_NAMES.credentialIds;

/** What of a table is worth telling of each of the contract's rows. */
const ROW_WORDS: Readonly<Record<string, (row: Row, at: (column: string) => string) => string | null>> = {
  worker_credential_management_plans: (row, at) => (OWN.includes(String(row['credential_id'])) ? `plan of ${text(row, 'credential_id')} by ${text(row, 'requested_by_id')} ${at('planned_at_ms')}` : null),
  approval_requests: (row, at) => (row['authority_project_id'] === CONTRACT_NAMES.projectId ? `${text(row, 'action_ref')}: asked by ${text(row, 'requested_by_id')} (${text(row, 'requested_assurance')}) ${at('requested_at_ms')}, ${text(row, 'decision')} by ${text(row, 'decided_by_id')} (${text(row, 'decided_assurance')}) ${at('decided_at_ms')}, consumed ${at('consumed_at_ms')}` : null),
  approved_action_executions: (row, at) => `${text(row, 'action_ref')}: started ${at('started_at_ms')}, ${text(row, 'state')} ${at('completed_at_ms')}`,
  worker_credentials: (row, at) => (OWN.includes(String(row['credential_id'])) ? `${text(row, 'credential_id')}: ${text(row, 'state')}, issued ${at('issued_at_ms')}` : null),
  worker_credential_deliveries: (row) => (OWN.includes(String(row['credential_id'])) ? `${text(row, 'credential_id')} version ${numberAt(row, 'version')}: ${text(row, 'state')}` : null),
  worker_session_history: (row, at) => (row['worker_id'] === CONTRACT_NAMES.workerId ? `session ${numberAt(row, 'generation')} ${text(row, 'reason')} ${at('recorded_at_ms')}` : null),
};

function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '–';
}

function tellRows({ table, rows }: ObservationBodies['database.rows'], clock: RunClock): string {
  const words = rows.flatMap((row) => ROW_WORDS[table]?.(row, (column) => `+${(clock.since(Number(row[column])) / 1000).toFixed(3)} s`) ?? []);
  return words.length === 0 ? `${rows.length} rows of ${table}` : `${table}: ${words.join('; ')}`;
}
