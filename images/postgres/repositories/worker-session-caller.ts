/** Who asks for a change of which session, as the ingress has authenticated it. */
export interface SessionCaller {
  readonly workerId: string;
  readonly sessionId: string;
  readonly credentialId: string;
  /** SHA-256 over the DER of the client certificate, 64 lower-case hexadecimal characters. */
  readonly clientCertificateFingerprint: string;
  /** Hexadecimal. */
  readonly clientCertificateSerial: string;
}
