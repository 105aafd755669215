import { parseArgs } from 'node:util';
import { connectDatabase, type DatabaseClient } from '../../postgres/connection.ts';
import { DATABASE_VARIABLES } from '../../postgres/connection-variables.ts';
import { migrate } from '../../postgres/migrate.ts';
import { grantPrivileges, prepareRoles, ROLES } from '../../postgres/roles.ts';
import { readDatabaseEnvironment } from './command-line/database-environment.ts';
import { EnvironmentReader } from './command-line/environment.ts';
import { FILES, NO_ROOT } from './command-line/program-needs.ts';
import { runCommand } from './command-line/run-command.ts';
import { UsageError } from './command-line/usage-error.ts';
import { SETUP_VARIABLES } from './command-line/variables.ts';
import { bindUser, parseBinding } from './database/bind-user.ts';
import { readRolePasswords } from './database/role-passwords.ts';

const PREFIX = 'QL3_DATABASE_SETUP_';
const SUPERUSER_PREFIX = 'QL3_POSTGRES_SUPERUSER_';
const OWNER_PREFIX = 'QL3_POSTGRES_MIGRATION_';
const TASKS = `  roles      as the superuser of ${SUPERUSER_PREFIX}…: creates the six roles, with the passwords of ${PREFIX}PASSWORDS_FILE
  migrate    as the owner of ${OWNER_PREFIX}…: brings the schema up, then gives every role exactly its privileges
  bind --project=ID --user=ID --role=owner|operator|approver|viewer    as the owner: makes the project if it is not there
  unbind --project=ID --user=ID    as the owner`;
const USAGE = `expected one of\n${TASKS}`;
const SUMMARY = `Usage: database TASK

${TASKS}

What a database needs before anything else can work with it, and what it needs again after an upgrade. One JSON line: stdout when it
succeeded, stderr when it failed. Exit 0 done, 1 failed, 64 usage.`;

type Result = Readonly<Record<string, unknown>>;
interface Task {
  readonly prefix: string;
  readonly run: (client: DatabaseClient) => Promise<Result>;
}

/** What a database needs before anything else can work with it, and what it needs again after an upgrade. */
await runCommand({
  component: 'qinglong3-database-setup',
  subject: 'database_setup',
  help: {
    summary: SUMMARY,
    variables: [
      { prefix: PREFIX, rows: SETUP_VARIABLES },
      { prefix: SUPERUSER_PREFIX, rows: DATABASE_VARIABLES },
      { prefix: OWNER_PREFIX, rows: DATABASE_VARIABLES.map(({ name }) => ({ name, meaning: '', need: `as ${SUPERUSER_PREFIX}${name}` })) },
    ],
    needs: ['A PostgreSQL from version 16 on: roles as its superuser, everything else as ql3_migration.', FILES, NO_ROOT],
  },
  async run() {
    const environment = new EnvironmentReader(process.env, PREFIX, SETUP_VARIABLES);
    const task = readTask(process.argv.slice(2), environment);
    const config = readDatabaseEnvironment(environment.under(task.prefix, DATABASE_VARIABLES));
    environment.finish();
    const client = await connectDatabase(config);
    try {
      return await task.run(client);
    } finally {
      await client.end();
    }
  },
});

function readTask(args: string[], environment: EnvironmentReader): Task {
  const [name, ...rest] = args;
  if (name === 'roles' && rest.length === 0) {
    const passwords = readRolePasswords(environment);
    return { prefix: SUPERUSER_PREFIX, run: async (client) => (await prepareRoles(client, passwords), { roles: ROLES }) };
  }
  if (name === 'migrate' && rest.length === 0) return { prefix: OWNER_PREFIX, run: bringUp };
  if (name === 'bind' || name === 'unbind') {
    const binding = parseBinding(name, readValues(rest));
    return { prefix: OWNER_PREFIX, run: (client) => bindUser(client, binding) };
  }
  throw new UsageError([USAGE]);
}

async function bringUp(client: DatabaseClient): Promise<Result> {
  const { applied, contractVersion } = await migrate(client);
  await grantPrivileges(client);
  return { applied, contractVersion };
}

function readValues(args: string[]): Readonly<Record<string, string | undefined>> {
  try {
    return parseArgs({ args, options: { project: { type: 'string' }, user: { type: 'string' }, role: { type: 'string' } } }).values;
  } catch (error) {
    throw new UsageError([(error as Error).message, USAGE]);
  }
}
