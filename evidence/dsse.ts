import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { digest, list, object, text, type TypeOf } from './shape.ts';

/** Dead Simple Signing Envelope, v1.0.2 (github.com/secure-systems-lab/dsse): protocol.md and envelope.md. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const dsseEnvelope = object({
  payloadType: text(),
  payload: text(BASE64, 'standard base64'),
  signatures: list(object({ keyid: digest, sig: text(BASE64, 'standard base64') }), { exactly: 1 }),
});
export type DsseEnvelope = TypeOf<typeof dsseEnvelope>;

/** What is signed: `DSSEv1 SP LEN(type) SP type SP LEN(body) SP body`, lengths in bytes, decimal. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export type SigningKeyKind = 'Ed25519' | 'ECDSA P-256';

/** Null for a key of any other kind. */
export function kindOfKey(key: KeyObject): SigningKeyKind | null {
  if (key.asymmetricKeyType === 'ed25519') return 'Ed25519';
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ECDSA P-256' : null;
}

/** SHA-256, hex, of the public key's SubjectPublicKeyInfo in DER. A hint for people; what is trusted is the key itself. */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  return createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' })).digest('hex');
}

/** Ed25519 as in RFC 8032; ECDSA over SHA-256, the signature in DER. */
export function signEnvelope(payloadType: string, payload: Uint8Array, key: KeyObject): DsseEnvelope {
  const signature = sign(digestOf(key), preAuthEncoding(payloadType, payload), key);
  return { payloadType, payload: Buffer.from(payload).toString('base64'), signatures: [{ keyid: keyIdOf(key), sig: signature.toString('base64') }] };
}

/** Whether the envelope's only signature is the key's. */
export function isSignedBy({ payloadType, payload, signatures }: DsseEnvelope, key: KeyObject): boolean {
  const encoded = preAuthEncoding(payloadType, Buffer.from(payload, 'base64'));
  return kindOfKey(key) !== null && signatures.length === 1 && signatures.every(({ sig }) => verify(digestOf(key), encoded, key, Buffer.from(sig, 'base64')));
}

function digestOf(key: KeyObject): 'sha256' | null {
  return kindOfKey(key) === 'Ed25519' ? null : 'sha256';
}
