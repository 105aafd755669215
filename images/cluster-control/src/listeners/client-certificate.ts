import type { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { certificateFingerprint, certificateSerial } from '../trust/certificate-bundle.ts';

/** What a verified handshake tells about the peer; kept because it cannot be asked of a socket that has closed. */
export interface VerifiedPeer {
  readonly protocol: string;
  readonly clientCertificateFingerprint: string;
  readonly clientCertificateSerial: string;
}

const peers = new WeakMap<Socket, VerifiedPeer>();

/** Null when the peer has gone already, so that nothing of it can be trusted. */
export function rememberVerifiedPeer(socket: TLSSocket): VerifiedPeer | null {
  const certificate = socket.getPeerX509Certificate();
  const protocol = socket.getProtocol();
  if (!socket.authorized || certificate === undefined || protocol === null) return null;
  const peer = {
    protocol,
    clientCertificateFingerprint: certificateFingerprint(certificate),
    clientCertificateSerial: certificateSerial(certificate),
  };
  peers.set(socket, peer);
  return peer;
}

export function verifiedPeerOf(socket: Socket): VerifiedPeer | null {
  return peers.get(socket) ?? null;
}
