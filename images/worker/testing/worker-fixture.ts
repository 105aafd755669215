import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createCredentialToken } from '../../core/credential-token.ts';
import { EntryPoint } from './entry-point.ts';
import { IngressDouble, WORKER_ID } from './ingress-double.ts';
import { RunAuthority, type IssuedPair } from './run-authority.ts';

/** One Worker's world: certificates, an ingress, a volume and the private folder, all real and all removed at the end. */
export class WorkerFixture implements AsyncDisposable {
  readonly root: string;
  readonly ingress: IngressDouble;
  readonly authority: RunAuthority;
  readonly token = createCredentialToken('credential_under_test').toString('latin1');
  readonly #workers: EntryPoint[] = [];

  private constructor(root: string, ingress: IngressDouble, authority: RunAuthority) {
    this.root = root;
    this.ingress = ingress;
    this.authority = authority;
  }

  static async create(): Promise<WorkerFixture> {
    const root = await mkdtemp(join(tmpdir(), 'ql3-worker-test-'));
    const authority = await RunAuthority.create('test authority');
    const ingress = await IngressDouble.start(await authority.issueServer('localhost'), authority.certificatePem);
    const fixture = new WorkerFixture(root, ingress, authority);
    for (const folder of ['private', 'state', 'state/journal', 'state/logs', 'state/receipts', 'state/certificates']) await mkdir(join(root, folder), { mode: 0o700 });
    await fixture.write('ca.crt', authority.certificatePem);
    await fixture.write('credential-token', fixture.token);
    await fixture.write('capabilities.json', '{"runtimes":["node"]}\n');
    await fixture.writeIdentity(await authority.issueClient('client a'));
    return fixture;
  }

  /** Replaces a file of the private folder at once. */
  async write(name: string, text: string, mode = 0o400): Promise<void> {
    const temporary = join(this.root, `private/.${name}`);
    await writeFile(temporary, text, { mode });
    await chmod(temporary, mode);
    await rename(temporary, this.private(name));
  }

  async writeIdentity(pair: IssuedPair): Promise<void> {
    await this.write('tls.crt', pair.certificatePem);
    await this.write('tls.key', pair.privateKeyPem);
  }

  private(name: string): string {
    return join(this.root, 'private', name);
  }

  state(name: string): string {
    return join(this.root, 'state', name);
  }

  environment(overrides: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      QL_DEPLOYMENT_PROFILE: 'worker',
      QL3_WORKER_RUNTIME_ENABLED: 'true',
      QL3_WORKER_ID: WORKER_ID,
      QL3_WORKER_CONTROL_ORIGIN: this.ingress.origin,
      QL3_WORKER_CAPACITY_PROFILE: 'edge',
      QL3_WORKER_CAPABILITIES_FILE: this.private('capabilities.json'),
      QL3_WORKER_JOURNAL_ROOT: this.state('journal'),
      QL3_WORKER_LOG_ROOT: this.state('logs'),
      QL3_WORKER_RECEIPT_ROOT: this.state('receipts'),
      QL3_WORKER_CERTIFICATE_STORE_ROOT: this.state('certificates'),
      QL3_WORKER_TRUST_ANCHOR_FILE: this.private('ca.crt'),
      QL3_WORKER_CREDENTIAL_TOKEN_FILE: this.private('credential-token'),
      QL3_WORKER_IDENTITY_BOOTSTRAP_CERTIFICATE_FILE: this.private('tls.crt'),
      QL3_WORKER_IDENTITY_BOOTSTRAP_PRIVATE_KEY_FILE: this.private('tls.key'),
      QL3_WORKER_CADENCE_MS: '100',
      QL3_WORKER_HEARTBEAT_INTERVAL_MS: '5000',
      // Long, so that a starved machine loses no session; what tests the end of a lease sets its own.
      QL3_WORKER_SESSION_LEASE_DURATION_MS: '60000',
      QL3_WORKER_DRAIN_TIMEOUT_MS: '5000',
      QL3_WORKER_DRAIN_POLL_MS: '25',
      ...overrides,
    };
  }

  start(overrides: Readonly<Record<string, string>> = {}): EntryPoint {
    const worker = new EntryPoint('worker.ts', [], this.environment(overrides));
    this.#workers.push(worker);
    return worker;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) await worker[Symbol.asyncDispose]();
    this.#assertNothingSecretWasSaid();
    await this.ingress.stop().catch(() => {});
    await rm(this.root, { recursive: true, force: true });
  }

  #assertNothingSecretWasSaid(): void {
    const said = this.#workers.flatMap((worker) => worker.output).join('\n');
    assert.doesNotMatch(said, /ql3w_|BEGIN|PRIVATE KEY/);
  }
}
