import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import { getRaw } from '../cluster/raw-request.ts';
import { readFinalObjects } from '../bundle/final-objects.ts';
import { linesOfLogs } from '../bundle/platform-logs.ts';
import type { RawEvidence } from '../bundle/raw-evidence.ts';
import { expecting } from '../progress/activity.ts';
import { recordTables } from '../database/witness.ts';
import { concernsRun, linesOf, parseAuditLine } from '../observation/audit-events.ts';
import { toObservedObject } from '../observation/observed-object.ts';
import type { StartedSubstrate } from '../substrate/substrate.ts';
import type { ContractContext } from './context.ts';
import { recordFacts } from './platform.ts';
import { RUN_NAMESPACES } from './run-namespaces.ts';

/** What is read at the end because nothing of the contract changes it: access rules, accounts and policies. */
const READ_AT_THE_END: readonly { readonly apiVersion: string; readonly kind: string; readonly plural: string; readonly namespaces: readonly string[] }[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaces: [NAMES.stageNamespace, NAMES.executorNamespace, NAMES.workerNamespace] },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', plural: 'roles', namespaces: [NAMES.stageNamespace, NAMES.workerNamespace] },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', plural: 'rolebindings', namespaces: [NAMES.stageNamespace, NAMES.workerNamespace] },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies', namespaces: [NAMES.executorNamespace] },
];

/** Hears the witnesses that speak at the end: the API server about the rules in force, PostgreSQL's rows, the audit log. */
export async function collectObservations(context: ContractContext, substrate: StartedSubstrate): Promise<Pick<RawEvidence, 'auditEvents' | 'finalObjects' | 'platformLogs'>> {
  const { recorder, database } = context;
  const [auditLog, finalObjects, closingFacts, platformLogs] = await Promise.all([
    readAuditLog(substrate),
    readFinalObjects(context.cluster.config, RUN_NAMESPACES, context.signal),
    substrate.closingFacts(),
    linesOfLogs(substrate.platformLogs()),
    expecting({ expected: 'the API server to tell the rules in force' }, () => recordObjects(context)),
    expecting({ expected: 'PostgreSQL to tell its rows' }, () => recordTables(database.witness, recorder, 'collect')),
  ]);
  const namespaces = new Set(RUN_NAMESPACES);
  const lines = linesOf(auditLog).map((line) => ({ line, event: parseAuditLine(line) }));
  const concerning = lines.filter(({ event }) => concernsRun(event, namespaces));
  recordFacts(recorder, closingFacts);
  for (const exit of await substrate.containerExits()) recorder.record('container.exited', `containers/${exit.containerId}`, exit);
  for (const { event } of concerning) recorder.record('api.audit', `${event.resource ?? ''}/${event.namespace ?? ''}/${event.name ?? ''}`, event);
  return { auditEvents: concerning.map(({ line }) => `${line}\n`).join(''), finalObjects, platformLogs };
}

export async function readAuditLog(substrate: Pick<StartedSubstrate, 'readAuditLog'>): Promise<string> {
  return await expecting({ expected: 'the API server’s audit log' }, () => substrate.readAuditLog());
}

async function recordObjects({ cluster, recorder, signal }: ContractContext): Promise<void> {
  for (const { apiVersion, kind, plural, namespaces } of READ_AT_THE_END) {
    for (const namespace of namespaces) {
      const root = apiVersion.includes('/') ? 'apis' : 'api';
      const { items } = await getRaw<{ items: object[] }>(cluster.config, `/${root}/${apiVersion}/namespaces/${namespace}/${plural}`, signal);
      for (const item of items) {
        const object = toObservedObject({ apiVersion, kind, ...item });
        recorder.record('api.object', `${plural}/${namespace}/${object.metadata.name}`, { object });
      }
    }
  }
}
