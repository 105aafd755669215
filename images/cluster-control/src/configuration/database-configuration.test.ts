import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestAuthority } from '../../testing/certificate-authority.ts';
import { PrivateFolder } from '../../testing/private-folder.ts';
import { readDatabaseConfiguration } from './database-configuration.ts';

const PREFIX = 'QL3_POSTGRES_WORKER_INGRESS_';

describe('the database configuration', () => {
  let folder: PrivateFolder;
  let caFile: string;
  before(async () => {
    folder = await PrivateFolder.create();
    caFile = await folder.write('ca.crt', (await TestAuthority.create()).certificatePem);
  });
  after(() => folder[Symbol.asyncDispose]());

  async function read(variables: Record<string, string>) {
    const environment = Object.fromEntries(Object.entries(variables).map(([name, value]) => [PREFIX + name, value]));
    const { database, problems } = await readDatabaseConfiguration(environment);
    return { database, subjects: problems.map(({ subject }) => subject.replace(PREFIX, '')), text: JSON.stringify(problems) };
  }

  it('verifies the server by default, from a URL in a file', async () => {
    const URL_FILE = await folder.write('url', 'postgresql://ql3_worker_ingress:p%40ss@db.example:6432/ql3\n');
    const { database, subjects } = await read({ URL_FILE, TLS_CA_FILE: caFile });
    assert.deepEqual(subjects, []);
    assert.deepEqual([database.host, database.port, database.database, database.user, database.password], ['db.example', 6432, 'ql3', 'ql3_worker_ingress', 'p@ss']);
    assert.equal(database.tls.mode, 'verify-full');
  });

  it('takes the parts one by one, with the password from a file', async () => {
    const PASSWORD_FILE = await folder.write('password', 'secret\n');
    const { database, subjects } = await read({ HOST: '::1', DATABASE: 'ql3', USER: 'u', PASSWORD_FILE, TLS_MODE: 'disable', ALLOW_INSECURE: 'true' });
    assert.deepEqual(subjects, []);
    assert.deepEqual([database.host, database.port, database.password], ['::1', 5432, 'secret']);
  });

  const refused: Record<string, [Record<string, string>, string[]]> = {
    'nothing at all': [{}, ['URL_FILE', 'TLS_CA_FILE']],
    'a URL and a host': [{ URL: 'postgresql://u:p@h/d', HOST: 'h', TLS_MODE: 'disable', ALLOW_INSECURE: 'true' }, ['URL_FILE']],
    'a URL and a user': [{ URL: 'postgresql://u:p@h/d', USER: 'u', TLS_MODE: 'disable', ALLOW_INSECURE: 'true' }, ['USER']],
    'a URL that weakens TLS': [{ URL: 'postgresql://u:p@h/d?sslmode=no-verify', TLS_MODE: 'disable', ALLOW_INSECURE: 'true' }, ['URL_FILE']],
    'a URL without a password': [{ URL: 'postgresql://u@h/d', TLS_MODE: 'disable', ALLOW_INSECURE: 'true' }, ['URL_FILE']],
    'a host alone': [{ HOST: 'h', TLS_MODE: 'disable', ALLOW_INSECURE: 'true' }, ['DATABASE', 'USER', 'PASSWORD_FILE']],
    'no TLS without consent': [{ URL: 'postgresql://u:p@h/d', TLS_MODE: 'disable' }, ['TLS_MODE']],
    'a password file that others may write': [{}, ['PASSWORD_FILE']],
  };
  for (const [name, [variables, subjects]] of Object.entries(refused)) {
    it(`refuses ${name}, without quoting a password`, async () => {
      const open: Record<string, string> = subjects[0] === 'PASSWORD_FILE' ? { HOST: 'h', DATABASE: 'd', USER: 'u', TLS_CA_FILE: caFile, PASSWORD_FILE: await folder.write('open', 'p', 0o666) } : {};
      const result = await read({ ...variables, ...open });
      assert.deepEqual(result.subjects, subjects);
      assert.doesNotMatch(result.text, /u:p@/u);
    });
  }
});
