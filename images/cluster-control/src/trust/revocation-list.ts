import { verify, type X509Certificate } from 'node:crypto';
import { type DerElement, readDerElements } from './der.ts';

const CRL_BLOCK = /-----BEGIN X509 CRL-----([\s\S]+?)-----END X509 CRL-----/gu;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const BIT_STRING = 0x03;
const EXPLICIT_VERSION = 0xa0;

/** Digest of each signature algorithm by the DER contents of its object identifier; null where the algorithm implies it. */
const SIGNATURE_DIGESTS: Readonly<Record<string, string | null>> = {
  '2a8648ce3d040302': 'sha256', // ecdsa-with-SHA256
  '2a8648ce3d040303': 'sha384', // ecdsa-with-SHA384
  '2a8648ce3d040304': 'sha512', // ecdsa-with-SHA512
  '2a864886f70d01010b': 'sha256', // sha256WithRSAEncryption
  '2a864886f70d01010c': 'sha384', // sha384WithRSAEncryption
  '2a864886f70d01010d': 'sha512', // sha512WithRSAEncryption
  '2b6570': null, // Ed25519
};

/** What decides whether a list can be used at all (RFC 5280, section 5.1). */
export interface RevocationList {
  readonly issuer: Buffer;
  readonly thisUpdateAt: Date;
  readonly nextUpdateAt: Date | null;
  readonly revokedCertificates: number;
  readonly signedBytes: Buffer;
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
}

/** The lists of a PEM text; throws when one is not a CertificateList. */
export function parseRevocationLists(pem: Buffer): RevocationList[] {
  return [...pem.toString('latin1').matchAll(CRL_BLOCK)].map((match) => parseRevocationList(Buffer.from(match[1] ?? '', 'base64')));
}

/** The DER of a certificate's subject, which a list's issuer must equal. */
export function subjectOf(certificate: X509Certificate): Buffer {
  const [whole] = readDerElements(certificate.raw);
  const [toBeSigned] = sequence(whole);
  const fields = sequence(toBeSigned).filter(({ tag }) => tag !== EXPLICIT_VERSION);
  return required(fields[4], SEQUENCE).encoding; // serial, signature, issuer, validity, subject
}

export function isSignedBy(list: RevocationList, authority: X509Certificate): boolean {
  const digest = SIGNATURE_DIGESTS[list.signatureAlgorithm];
  if (digest === undefined) throw new Error(`signature algorithm ${list.signatureAlgorithm} is not supported; use ECDSA, RSA PKCS#1 or Ed25519 with SHA-2`);
  return verify(digest, list.signedBytes, authority.publicKey, list.signature);
}

function parseRevocationList(der: Buffer): RevocationList {
  const elements = readDerElements(der);
  if (elements.length !== 1) throw new Error('expected one CertificateList');
  const [toBeSigned, algorithm, signature] = sequence(elements[0]);
  const fields = sequence(toBeSigned);
  if (fields[0]?.tag === INTEGER) fields.shift();
  const [, issuer, thisUpdate, ...rest] = fields;
  const nextUpdate = isTime(rest[0]) ? rest.shift() : undefined;
  const revoked = rest[0]?.tag === SEQUENCE ? readDerElements(rest[0].content).length : 0;
  return {
    issuer: required(issuer, SEQUENCE).encoding,
    thisUpdateAt: timeOf(thisUpdate),
    nextUpdateAt: nextUpdate === undefined ? null : timeOf(nextUpdate),
    revokedCertificates: revoked,
    signedBytes: required(toBeSigned, SEQUENCE).encoding,
    signatureAlgorithm: sequence(algorithm)[0]?.content.toString('hex') ?? '',
    signature: required(signature, BIT_STRING).content.subarray(1), // after the count of unused bits
  };
}

function sequence(element: DerElement | undefined): DerElement[] {
  return readDerElements(required(element, SEQUENCE).content);
}

function required(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw new Error('unexpected DER structure');
  return element;
}

function isTime(element: DerElement | undefined): boolean {
  return element?.tag === UTC_TIME || element?.tag === GENERALIZED_TIME;
}

function timeOf(element: DerElement | undefined): Date {
  const text = isTime(element) ? element?.content.toString('latin1') ?? '' : '';
  // RFC 5280 reads two-digit years of 50 and more as 19YY.
  const full = element?.tag === UTC_TIME ? `${Number(text.slice(0, 2)) >= 50 ? '19' : '20'}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/u.exec(full);
  if (match === null) throw new Error('unexpected DER time');
  const [, year, month, day, hour, minute, second] = match;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time.getTime())) throw new Error('unexpected DER time');
  return time;
}
