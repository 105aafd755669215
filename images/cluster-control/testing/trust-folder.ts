import type { TrustFiles } from '../src/trust/trust-material.ts';
import { TestAuthority, type TestIdentity } from './certificate-authority.ts';
import { PrivateFolder } from './private-folder.ts';

/** A folder with valid trust material of one authority, which a test then breaks in one place. */
export class TrustFolder implements AsyncDisposable {
  readonly folder: PrivateFolder;
  readonly authority: TestAuthority;
  readonly files: TrustFiles;

  private constructor(folder: PrivateFolder, authority: TestAuthority, files: TrustFiles) {
    this.folder = folder;
    this.authority = authority;
    this.files = files;
  }

  static async create(address = '127.0.0.1'): Promise<TrustFolder> {
    const folder = await PrivateFolder.create();
    const authority = await TestAuthority.create();
    const server = await authority.issue({ commonName: 'ingress', usage: 'server', addresses: [address] });
    return new TrustFolder(folder, authority, {
      certificate: await folder.write('tls.crt', server.certificatePem),
      privateKey: await folder.write('tls.key', server.privateKeyPem),
      clientAuthorities: await folder.write('ca.crt', authority.certificatePem),
      clientRevocations: await folder.write('ca.crl', await authority.revocationList()),
    });
  }

  issueClient(commonName = 'worker'): Promise<TestIdentity> {
    return this.authority.issue({ commonName, usage: 'client' });
  }

  async revoke(...revoked: TestIdentity[]): Promise<void> {
    await this.folder.write('ca.crl', await this.authority.revocationList({ revoked }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }
}
