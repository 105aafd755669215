import assert from 'node:assert/strict';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { TestAuthority } from '../../testing/certificate-authority.ts';
import { TrustFolder } from '../../testing/trust-folder.ts';
import { ControlError } from '../control-error.ts';
import { loadTrustMaterial, type TrustFiles } from './trust-material.ts';

const HOUR_MS = 3_600_000;

describe('trust material', () => {
  let trust: TrustFolder;
  before(async () => {
    trust = await TrustFolder.create();
  });
  after(() => trust[Symbol.asyncDispose]());

  async function problemsOf(changes: Partial<TrustFiles>): Promise<string> {
    const error = await loadTrustMaterial({ ...trust.files, ...changes }).then(() => null, (reason: unknown) => reason);
    assert.ok(error instanceof ControlError, 'expected the material to be refused');
    assert.equal(error.code, 'QL3_CLUSTER_CONTROL_TRUST_MATERIAL_INVALID');
    return error.message;
  }

  it('is accepted when everything fits together, and through the links of a projected Secret', async () => {
    const linked = `${trust.folder.path}/linked.crt`;
    await symlink(trust.files.certificate, linked);
    const material = await loadTrustMaterial({ ...trust.files, certificate: linked });
    assert.equal(material.summary.clientAuthorityFingerprints.length, 1);
    assert.equal(material.summary.revokedCertificates, 0);
  });

  it('does without a revocation list', async () => {
    assert.equal((await loadTrustMaterial({ ...trust.files, clientRevocations: null })).summary.revokedCertificates, null);
  });

  it('counts what is revoked', async () => {
    const list = await trust.authority.revocationList({ revoked: [await trust.issueClient(), await trust.issueClient()] });
    const clientRevocations = await trust.folder.write('two.crl', list);
    assert.equal((await loadTrustMaterial({ ...trust.files, clientRevocations })).summary.revokedCertificates, 2);
  });

  it('takes 16 authorities, and neither 17 nor none', async () => {
    const sixteen = trust.authority.certificatePem.repeat(16);
    await loadTrustMaterial({ ...trust.files, clientAuthorities: await trust.folder.write('16.crt', sixteen) });
    const seventeen = await trust.folder.write('17.crt', sixteen + trust.authority.certificatePem);
    assert.match(await problemsOf({ clientAuthorities: seventeen }), /1 to 16 certificates, got 17/u);
    assert.match(await problemsOf({ clientAuthorities: await trust.folder.write('0.crt', '# none\n') }), /got 0/u);
  });

  it('refuses an authority that is none', async () => {
    const client = await trust.issueClient();
    assert.match(await problemsOf({ clientAuthorities: await trust.folder.write('leaf.crt', client.certificatePem) }), /not a certificate authority/u);
  });

  it('refuses a key of another certificate', async () => {
    const other = await trust.issueClient();
    assert.match(await problemsOf({ privateKey: await trust.folder.write('other.key', other.privateKeyPem) }), /does not belong/u);
  });

  it('refuses a key that others may write', async () => {
    const server = await trust.authority.issue({ commonName: 'x', usage: 'server' });
    const certificate = await trust.folder.write('x.crt', server.certificatePem);
    for (const mode of [0o620, 0o602, 0o666]) {
      assert.match(await problemsOf({ certificate, privateKey: await trust.folder.write('x.key', server.privateKeyPem, mode) }), /writable/u);
    }
    await loadTrustMaterial({ ...trust.files, certificate, privateKey: await trust.folder.write('x.key', server.privateKeyPem, 0o440) });
  });

  it('refuses an expired server certificate', async () => {
    const notAfter = new Date(Date.now() - HOUR_MS);
    const server = await trust.authority.issue({ commonName: 'x', usage: 'server', notBefore: new Date(Date.now() - 2 * HOUR_MS), notAfter });
    const certificate = await trust.folder.write('old.crt', server.certificatePem);
    assert.match(await problemsOf({ certificate, privateKey: await trust.folder.write('old.key', server.privateKeyPem) }), /expired at/u);
  });

  it('refuses a revocation list that would lock every Worker out', async () => {
    const stale = await trust.authority.revocationList({ thisUpdate: new Date(Date.now() - 2 * HOUR_MS), nextUpdate: new Date(Date.now() - HOUR_MS) });
    assert.match(await problemsOf({ clientRevocations: await trust.folder.write('stale.crl', stale) }), /issue a new one/u);
    const namesake = await (await TestAuthority.create()).revocationList();
    assert.match(await problemsOf({ clientRevocations: await trust.folder.write('namesake.crl', namesake) }), /not signed by it/u);
    const stranger = await (await TestAuthority.create('stranger')).revocationList();
    assert.match(await problemsOf({ clientRevocations: await trust.folder.write('stranger.crl', stranger) }), /has no list of/u);
    assert.match(await problemsOf({ clientRevocations: trust.files.clientAuthorities }), /got none/u);
  });

  it('refuses files that are missing, no files, empty, too large or not PEM, and names each of them at once', async () => {
    const folder = `${trust.folder.path}/folder`;
    await mkdir(folder);
    const message = await problemsOf({
      certificate: `${trust.folder.path}/absent`,
      privateKey: await trust.folder.write('garbage.key', 'no key'),
      clientAuthorities: folder,
      clientRevocations: await trust.folder.write('empty.crl', ''),
    });
    assert.match(message, /CERTIFICATE_FILE: cannot be opened .*ENOENT/u);
    assert.match(message, /PRIVATE_KEY_FILE: expected PEM/u);
    assert.match(message, /CA_FILE: expected a regular file/u);
    assert.match(message, /CRL_FILE: .*is empty/u);
    const large = await trust.folder.write('large.crt', Buffer.alloc(1024 * 1024 + 1, '\n'));
    assert.match(await problemsOf({ clientAuthorities: large }), /at most 1048576/u);
    assert.match(await problemsOf({ certificate: 'relative.crt' }), /absolute path/u);
    await rm(folder, { recursive: true });
  });

  it('never quotes what it could not parse', async () => {
    const message = await problemsOf({ privateKey: await trust.folder.write('leak.key', 'hunter2-is-my-key') });
    assert.doesNotMatch(message, /hunter2/u);
  });
});
