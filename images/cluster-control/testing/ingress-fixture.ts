import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { toClientConfig, type Database } from '../../postgres/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';
import type { TestIdentity } from './certificate-authority.ts';
import { ControlProcess } from './control-process.ts';
import { IngressClient } from './ingress-client.ts';
import { issueCredential, type IssuedCredential, type IssueOptions } from './issued-credential.ts';
import { TrustFolder } from './trust-folder.ts';

export const LOOPBACK = '127.0.0.1';

/** A real database, real trust material and one client identity; a test starts as many processes on it as it needs. */
export class IngressFixture implements AsyncDisposable {
  readonly database: TestDatabase;
  readonly trust: TrustFolder;
  readonly identity: TestIdentity;
  readonly environment: Record<string, string>;
  readonly pepper: Buffer;
  /** Sees and does everything: for looking at what was written, and for what another role would have written. */
  readonly superuser: Database;

  private constructor(parts: { database: TestDatabase; trust: TrustFolder; identity: TestIdentity; environment: Record<string, string>; pepper: Buffer }) {
    this.database = parts.database;
    this.trust = parts.trust;
    this.identity = parts.identity;
    this.environment = parts.environment;
    this.pepper = parts.pepper;
    this.superuser = parts.database.open('superuser');
  }

  static async create(): Promise<IngressFixture> {
    const [database, trust] = await Promise.all([createTestDatabase(), TrustFolder.create(LOOPBACK)]);
    const pepper = randomBytes(32);
    const identity = await trust.issueClient();
    return new IngressFixture({ database, trust, identity, pepper, environment: await toEnvironment(database, trust, pepper) });
  }

  /** A process that has found its database and listens. */
  async start(changes: Record<string, string> = {}): Promise<{ control: ControlProcess; healthPort: number; ingressPort: number }> {
    const control = new ControlProcess({ ...this.environment, ...changes });
    const listening = await control.events.waitFor('listening').catch(async (error: unknown) => {
      await control[Symbol.asyncDispose]();
      throw new Error(`the control did not start: ${JSON.stringify(control.failures.events)}`, { cause: error });
    });
    return { control, healthPort: Number(listening['healthPort']), ingressPort: Number(listening['ingressPort']) };
  }

  client(port: number, identity = this.identity, keepAlive = false): IngressClient {
    return new IngressClient({ host: LOOPBACK, port, caPem: this.trust.authority.certificatePem, identity, keepAlive });
  }

  async issue(options: IssueOptions): Promise<IssuedCredential> {
    return await this.onOneConnection((client) => issueCredential(client, this.pepper, options));
  }

  async onOneConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(toClientConfig(this.database.superuser));
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async rows(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.superuser.query<Record<string, unknown>>(sql, values)).rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.database.close();
    await this.trust[Symbol.asyncDispose]();
  }
}

async function toEnvironment(database: TestDatabase, trust: TrustFolder, pepper: Buffer): Promise<Record<string, string>> {
  const { host, port, database: name, user, password } = database.config('ql3_worker_ingress');
  return {
    QL3_CLUSTER_CONTROL_ENABLED: 'true',
    QL3_CLUSTER_CONTROL_LISTEN_HOST: LOOPBACK,
    QL3_CLUSTER_CONTROL_HEALTH_PORT: '0',
    QL3_CLUSTER_CONTROL_INGRESS_PORT: '0',
    QL3_CLUSTER_CONTROL_TLS_CERTIFICATE_FILE: trust.files.certificate,
    QL3_CLUSTER_CONTROL_TLS_PRIVATE_KEY_FILE: trust.files.privateKey,
    QL3_CLUSTER_CONTROL_CLIENT_CA_FILE: trust.files.clientAuthorities,
    QL3_CLUSTER_CONTROL_CLIENT_CRL_FILE: trust.files.clientRevocations ?? '',
    QL3_CLUSTER_CONTROL_PEPPER_FILE: await trust.folder.write('pepper', pepper.toString('base64url')),
    QL3_POSTGRES_WORKER_INGRESS_URL_FILE: await trust.folder.write('url', `postgresql://${user}:${password}@${host}:${port}/${name}`),
    QL3_POSTGRES_WORKER_INGRESS_TLS_MODE: 'disable',
    QL3_POSTGRES_WORKER_INGRESS_ALLOW_INSECURE: 'true',
  };
}
