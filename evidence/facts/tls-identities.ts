import type { ObservationOf } from '../observation.ts';
import { textAt } from './fields.ts';
import { ingressEvents } from './ingress.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { rowsOf, textIn } from './rows.ts';

/** TLS identities that the run made, by generation. */
export const pkiIdentities = fact((run: ObservedRun): ReadonlyMap<string, ObservationOf<'pki.identity'>> => new Map(run.of('pki.identity').map((identity) => [identity.body.generation, identity])));

/** Whether authority, ingress and database know each client certificate by one serial number, and no two by the same. */
export const serialsAgree = fact((run: ObservedRun): boolean => {
  const told = [
    ...run.of('pki.identity').map(({ body }) => [body.clientCertificateFingerprint, body.clientCertificateSerial]),
    ...ingressEvents(run, 'tls_handshake').map(({ body: { line } }) => [textAt(line, 'clientCertificateFingerprint'), textAt(line, 'clientCertificateSerial')]),
    ...rowsOf(run, 'worker_session_history').map((row) => [textIn(row, 'client_certificate_sha256'), textIn(row, 'client_certificate_serial')]),
  ];
  const serials = new Map(told.map(([fingerprint, serial]) => [fingerprint, serial]));
  return new Set(serials.values()).size === serials.size && told.every(([fingerprint, serial]) => serials.get(fingerprint) === serial);
});
