import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { constants } from 'node:crypto';
import { ControlError, type Problem } from '../control-error.ts';
import { certificateFingerprint, parseCertificates } from './certificate-bundle.ts';
import { readProtectedFile } from './protected-file.ts';
import { isSignedBy, parseRevocationLists, type RevocationList, subjectOf } from './revocation-list.ts';

export const MAXIMUM_CLIENT_AUTHORITIES = 16;

export interface TrustFiles {
  readonly certificate: string;
  readonly privateKey: string;
  readonly clientAuthorities: string;
  readonly clientRevocations: string | null;
}

/** Material that OpenSSL accepted as a whole, and what may be said of it in public. */
export interface TrustMaterial {
  readonly contextOptions: SecureContextOptions;
  readonly summary: {
    readonly serverCertificateFingerprint: string;
    readonly serverCertificateExpiresAt: string;
    readonly clientAuthorityFingerprints: readonly string[];
    readonly revokedCertificates: number | null;
    readonly revocationsNextUpdateAt: string | null;
  };
}

/** Reads and checks all trust material; throws one ControlError that names everything wrong with it. */
export async function loadTrustMaterial(files: TrustFiles, now: Date = new Date()): Promise<TrustMaterial> {
  const problems: Problem[] = [];
  const pems = await readPems(files, problems);
  const certificates = parse('QL3_CLUSTER_CONTROL_TLS_CERTIFICATE_FILE', pems.certificate, parseCertificates, problems);
  const key = parse('QL3_CLUSTER_CONTROL_TLS_PRIVATE_KEY_FILE', pems.privateKey, (pem) => createPrivateKey(pem), problems);
  const authorities = parse('QL3_CLUSTER_CONTROL_CLIENT_CA_FILE', pems.clientAuthorities, parseCertificates, problems);
  const revocations = parse('QL3_CLUSTER_CONTROL_CLIENT_CRL_FILE', pems.clientRevocations, parseRevocationLists, problems);
  if (certificates !== null) problems.push(...serverCertificateProblems(certificates, key, now));
  if (authorities !== null) problems.push(...authorityProblems(authorities));
  if (authorities !== null && revocations !== null) problems.push(...revocationProblems(revocations, authorities, now));
  const [leaf] = certificates ?? [];
  if (problems.length > 0 || leaf === undefined) throw invalid(problems);
  const contextOptions = toContextOptions(pems);
  return { contextOptions, summary: summarise(leaf, authorities ?? [], revocations) };
}

interface Pems {
  readonly certificate: Buffer | null;
  readonly privateKey: Buffer | null;
  readonly clientAuthorities: Buffer | null;
  readonly clientRevocations: Buffer | null;
}

async function readPems(files: TrustFiles, problems: Problem[]): Promise<Pems> {
  const read = async (subject: string, file: string, secrecy: 'public' | 'secret'): Promise<Buffer | null> => {
    const reading = await readProtectedFile(subject, file, secrecy);
    if (reading.problem !== undefined) problems.push(reading.problem);
    return reading.problem === undefined ? reading.bytes : null;
  };
  return {
    certificate: await read('QL3_CLUSTER_CONTROL_TLS_CERTIFICATE_FILE', files.certificate, 'public'),
    privateKey: await read('QL3_CLUSTER_CONTROL_TLS_PRIVATE_KEY_FILE', files.privateKey, 'secret'),
    clientAuthorities: await read('QL3_CLUSTER_CONTROL_CLIENT_CA_FILE', files.clientAuthorities, 'public'),
    clientRevocations: files.clientRevocations === null ? null : await read('QL3_CLUSTER_CONTROL_CLIENT_CRL_FILE', files.clientRevocations, 'public'),
  };
}

/** Messages of the parsers are kept out: they may quote what they could not parse. */
function parse<T>(subject: string, pem: Buffer | null, parser: (pem: Buffer) => T, problems: Problem[]): T | null {
  if (pem === null) return null;
  try {
    return parser(pem);
  } catch {
    problems.push({ subject, problem: 'expected PEM that parses (unencrypted)' });
    return null;
  }
}

function serverCertificateProblems(certificates: readonly X509Certificate[], key: KeyObject | null, now: Date): Problem[] {
  const subject = 'QL3_CLUSTER_CONTROL_TLS_CERTIFICATE_FILE';
  const [leaf] = certificates;
  if (leaf === undefined) return [{ subject, problem: 'expected at least one PEM certificate, got none' }];
  const problems: Problem[] = [];
  if (now < leaf.validFromDate) problems.push({ subject, problem: `is not valid before ${leaf.validFromDate.toISOString()}` });
  if (now > leaf.validToDate) problems.push({ subject, problem: `expired at ${leaf.validToDate.toISOString()}; renew it` });
  if (key !== null && !leaf.checkPrivateKey(key)) {
    problems.push({ subject: 'QL3_CLUSTER_CONTROL_TLS_PRIVATE_KEY_FILE', problem: 'does not belong to the first certificate of TLS_CERTIFICATE_FILE' });
  }
  return problems;
}

function authorityProblems(authorities: readonly X509Certificate[]): Problem[] {
  const subject = 'QL3_CLUSTER_CONTROL_CLIENT_CA_FILE';
  const problems: Problem[] = authorities
    .filter((authority) => !authority.ca)
    .map((authority) => ({ subject, problem: `certificate ${certificateFingerprint(authority)} is not a certificate authority` }));
  if (authorities.length === 0 || authorities.length > MAXIMUM_CLIENT_AUTHORITIES) {
    problems.push({ subject, problem: `expected 1 to ${MAXIMUM_CLIENT_AUTHORITIES} certificates, got ${authorities.length}` });
  }
  return problems;
}

/** A missing, stale or foreign list would make OpenSSL refuse every client of that authority, so it is refused here. */
function revocationProblems(lists: readonly RevocationList[], authorities: readonly X509Certificate[], now: Date): Problem[] {
  const subject = 'QL3_CLUSTER_CONTROL_CLIENT_CRL_FILE';
  if (lists.length === 0) return [{ subject, problem: 'expected at least one PEM X509 CRL, got none' }];
  return authorities.flatMap((authority) => {
    const name = `authority ${certificateFingerprint(authority)}`;
    const list = lists.find(({ issuer }) => issuer.equals(subjectOf(authority)));
    if (list === undefined) return [{ subject, problem: `has no list of ${name}; every authority of CLIENT_CA_FILE needs one` }];
    return listProblems(list, authority, now).map((problem) => ({ subject, problem: `the list of ${name} ${problem}` }));
  });
}

function listProblems(list: RevocationList, authority: X509Certificate, now: Date): string[] {
  const problems: string[] = [];
  if (now < list.thisUpdateAt) problems.push(`is not valid before ${list.thisUpdateAt.toISOString()}`);
  if (list.nextUpdateAt !== null && now > list.nextUpdateAt) problems.push(`was to be replaced by ${list.nextUpdateAt.toISOString()}; issue a new one`);
  try {
    if (!isSignedBy(list, authority)) problems.push('is not signed by it');
  } catch (error) {
    problems.push(`cannot be verified: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
  return problems;
}

function toContextOptions(pems: Pems): SecureContextOptions {
  const { certificate, privateKey, clientAuthorities, clientRevocations } = pems;
  const options: SecureContextOptions = {
    ...(certificate === null ? {} : { cert: certificate }),
    ...(privateKey === null ? {} : { key: privateKey }),
    ...(clientAuthorities === null ? {} : { ca: clientAuthorities }),
    ...(clientRevocations === null ? {} : { crl: clientRevocations }),
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    // A resumed session would skip the check of the client certificate against a newer revocation list.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw invalid([{ subject: 'QL3_CLUSTER_CONTROL_TLS', problem: `OpenSSL does not accept the material together (${code})` }], cause);
  }
  return options;
}

function summarise(leaf: X509Certificate, authorities: readonly X509Certificate[], lists: readonly RevocationList[] | null): TrustMaterial['summary'] {
  const nextUpdates = (lists ?? []).flatMap(({ nextUpdateAt }) => (nextUpdateAt === null ? [] : [nextUpdateAt.getTime()]));
  return {
    serverCertificateFingerprint: certificateFingerprint(leaf),
    serverCertificateExpiresAt: leaf.validToDate.toISOString(),
    clientAuthorityFingerprints: authorities.map(certificateFingerprint),
    revokedCertificates: lists === null ? null : lists.reduce((sum, list) => sum + list.revokedCertificates, 0),
    revocationsNextUpdateAt: nextUpdates.length === 0 ? null : new Date(Math.min(...nextUpdates)).toISOString(),
  };
}

function invalid(problems: readonly Problem[], cause?: unknown): ControlError {
  return new ControlError('QL3_CLUSTER_CONTROL_TRUST_MATERIAL_INVALID', problems, { cause });
}
