import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase, type DatabaseConfig } from '../../postgres/connection.ts';
import { checkReadiness } from '../../postgres/readiness.ts';
import { startEmptyServer } from '../../postgres/test-database.ts';

const ENTRY = fileURLToPath(new URL('./database.ts', import.meta.url));

interface Answer {
  readonly exitCode: number;
  readonly line: Record<string, unknown>;
}

describe('the set-up of a database, as a process', () => {
  let server: Awaited<ReturnType<typeof startEmptyServer>>;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ql3-database-setup-'));
    server = await startEmptyServer();
    await writeFile(join(folder, 'passwords.json'), JSON.stringify(server.passwords), { mode: 0o600 });
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true });
  });

  const setUp = (args: readonly string[], extra: Record<string, string> = {}): Promise<Answer> => {
    const { host, port, database, user, password } = server.superuser;
    const superuser = { HOST: host, PORT: String(port), DATABASE: database, USER: user, PASSWORD: password };
    const owner = { ...superuser, USER: 'ql3_migration', PASSWORD: server.passwords.ql3_migration };
    const env = {
      QL3_DATABASE_SETUP_PASSWORDS_FILE: join(folder, 'passwords.json'),
      ...databaseVariables('QL3_POSTGRES_SUPERUSER_', superuser),
      ...databaseVariables('QL3_POSTGRES_MIGRATION_', owner),
      ...extra,
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [ENTRY, ...args], { env }, (error, stdout, stderr) => {
        assert.equal(stdout === '', error !== null, 'success speaks on stdout, failure on stderr');
        resolve({ exitCode: error === null ? 0 : Number(error.code), line: JSON.parse(stdout || stderr) as Record<string, unknown> });
      });
    });
  };
  const asRole = (role: keyof typeof server.passwords): DatabaseConfig => ({ ...server.superuser, user: role, password: server.passwords[role] });

  test('roles, then migrate: afterwards every process finds exactly its privileges, and both may be said again', async () => {
    for (const round of ['first', 'again']) {
      assert.equal((await setUp(['roles'])).exitCode, 0, round);
      const { exitCode, line } = await setUp(['migrate']);
      assert.equal(exitCode, 0, JSON.stringify(line));
      assert.equal((line['applied'] as string[]).length > 0, round === 'first');
    }
    const database = openDatabase(asRole('ql3_worker_credential_executor'));
    try {
      assert.deepEqual((await checkReadiness(database, 'ql3_worker_credential_executor')).ready, true);
    } finally {
      await database.end();
    }
  });

  test('a user is bound, bound again without a new version, rebound and unbound; the history stays', async () => {
    const bind = ['bind', '--project=fleet', '--user=anna'];
    const versions: unknown[] = [];
    for (const args of [[...bind, '--role=operator'], [...bind, '--role=operator'], [...bind, '--role=owner'], ['unbind', '--project=fleet', '--user=anna']]) {
      const { exitCode, line } = await setUp(args);
      assert.equal(exitCode, 0, JSON.stringify(line));
      versions.push([line['bindingVersion'], line['changed'], line['role'], line['state']]);
    }
    assert.deepEqual(versions, [
      [1, true, 'operator', 'active'],
      [1, false, 'operator', 'active'],
      [2, true, 'owner', 'active'],
      [3, true, 'owner', 'revoked'],
    ]);
  });

  test('what is missing, weak, readable by others or unknown is refused before the server is asked', async () => {
    const file = join(folder, 'weak.json');
    const refused = async (args: readonly string[], pattern: RegExp, extra: Record<string, string> = {}) => {
      const { exitCode, line } = await setUp(args, extra);
      assert.deepEqual([exitCode, line['code']], [64, 'QL3_CLUSTER_ADMIN_USAGE']);
      assert.match(String(line['reason']), pattern);
    };
    await writeFile(file, JSON.stringify({ ...server.passwords, ql3_admin: 'short', postgres: 'x'.repeat(20) }), { mode: 0o600 });
    await refused(['roles'], /got postgres/, { QL3_DATABASE_SETUP_PASSWORDS_FILE: file });
    await writeFile(file, JSON.stringify({ ...server.passwords, ql3_admin: 'short' }));
    await refused(['roles'], /ql3_admin$/, { QL3_DATABASE_SETUP_PASSWORDS_FILE: file });
    await chmod(file, 0o644);
    await refused(['roles'], /mode 644/, { QL3_DATABASE_SETUP_PASSWORDS_FILE: file });
    await refused(['bind', '--project=fleet', '--user=anna', '--role=king'], /--role: expected one of/);
    await refused(['unbind', '--project=fleet', '--user=nobody'], /nothing to take away/);
    await refused(['drop'], /expected one of/);
  });
});

function databaseVariables(prefix: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries({ ...values, TLS_MODE: 'disable', ALLOW_INSECURE: 'true' });
  return Object.fromEntries(entries.map(([name, value]) => [prefix + name, value]));
}
