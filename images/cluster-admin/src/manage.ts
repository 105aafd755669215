import type { Database, DatabaseConfig } from '../../postgres/connection.ts';
import { openDatabase } from '../../postgres/connection.ts';
import { DATABASE_VARIABLES } from '../../postgres/connection-variables.ts';
import { requireReadiness } from '../../postgres/readiness.ts';
import { readDatabaseEnvironment } from './command-line/database-environment.ts';
import { EnvironmentReader } from './command-line/environment.ts';
import { PUBLIC_FILE, readGuardedFile } from './command-line/guarded-file.ts';
import { FILES, NO_ROOT } from './command-line/program-needs.ts';
import { runCommand } from './command-line/run-command.ts';
import { readBoth, UsageError } from './command-line/usage-error.ts';
import { MANAGER_VARIABLES } from './command-line/variables.ts';
import { decideCredentialAction } from './management/decide-action.ts';
import { parseDecisionRequest, parsePlanRequest, parseProposalRequest } from './management/management-request.ts';
import { planCredentialAction } from './management/plan-action.ts';
import { proposeCredentialAction } from './management/propose-action.ts';

const PREFIX = 'QL3_WORKER_CREDENTIAL_MANAGER_';
const DATABASE_PREFIX = 'QL3_POSTGRES_WORKER_CREDENTIAL_MANAGER_';
const MAX_REQUEST_BYTES = 16_384;

const SUMMARY = `Usage: manage plan|propose|decide

One step of an approval, on behalf of the principal whom the caller has authenticated and named in the request file. One JSON line:
stdout when it succeeded, stderr when it was refused. Exit 0 done, 1 refused, 64 usage.`;

type Act = (database: Database, signal: AbortSignal) => Promise<object>;

const ACTS = {
  plan(text: Buffer): Act {
    const { principal, request } = parsePlanRequest(text);
    return (database, signal) => planCredentialAction(database, principal, request, signal);
  },
  propose(text: Buffer): Act {
    const { principal, request } = parseProposalRequest(text);
    return (database, signal) => proposeCredentialAction(database, principal, request, signal);
  },
  decide(text: Buffer): Act {
    const { principal, request } = parseDecisionRequest(text);
    return (database, signal) => decideCredentialAction(database, principal, request, signal);
  },
};

/** `plan`, `propose` or `decide` on behalf of the principal whom the caller has authenticated and named in the request file. */
await runCommand({
  component: 'qinglong3-worker-credential-manager',
  subject: 'management',
  help: {
    summary: SUMMARY,
    variables: [
      { prefix: PREFIX, rows: MANAGER_VARIABLES },
      { prefix: DATABASE_PREFIX, rows: DATABASE_VARIABLES },
    ],
    needs: ['A PostgreSQL with the schema ql3, as the role ql3_worker_credential_manager. No cluster.', FILES, NO_ROOT],
  },
  async run(signal) {
    const [name, { requestFile, config }] = readBoth(() => readName(process.argv.slice(2)), readEnvironment);
    const act = readAct(name, requestFile);
    const database = openDatabase(config);
    try {
      await requireReadiness(database, 'ql3_worker_credential_manager');
      return { result: await act(database, signal) };
    } finally {
      await database.end();
    }
  },
});

function readName([name = '', ...rest]: readonly string[]): keyof typeof ACTS {
  if (!Object.hasOwn(ACTS, name) || rest.length > 0) throw new UsageError(['expected one argument: plan, propose or decide']);
  return name as keyof typeof ACTS;
}

function readEnvironment(): { readonly requestFile: string; readonly config: DatabaseConfig } {
  const environment = new EnvironmentReader(process.env, PREFIX, MANAGER_VARIABLES);
  if (environment.optional('ENABLED') !== 'true') environment.reject('ENABLED', 'expected true');
  const requestFile = environment.path('REQUEST_FILE');
  const config = readDatabaseEnvironment(environment.under(DATABASE_PREFIX, DATABASE_VARIABLES));
  environment.finish();
  return { requestFile, config };
}

function readAct(name: keyof typeof ACTS, requestFile: string): Act {
  try {
    return ACTS[name](readGuardedFile(requestFile, { maxBytes: MAX_REQUEST_BYTES, forbiddenMode: PUBLIC_FILE }));
  } catch (error) {
    throw new UsageError([(error as Error).message]);
  }
}
