import { numberAt } from '../facts/fields.ts';
import { ingressEvents } from '../facts/ingress.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { pkiIdentities } from '../facts/tls-identities.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf } from '../observation.ts';
import { judged, rule } from '../verdict.ts';
import { printedAnswer, refusalsOf, refusedHandshakeRules } from './ingress-answers.ts';

/** A certificate that had opened the door before was refused after the revocation list had been reloaded. */
export const handshakeRevokedCertificate = judged((run: ObservedRun) => {
  const result = probeResult(run, 'handshake-revoked-certificate');
  const identity = [...pkiIdentities(run).values()].find(({ body }) => body.clientCertificateFingerprint === result?.facts.fingerprint);
  const accepted = ingressEvents(run, 'tls_handshake').filter(({ body }) => identity !== undefined && body.line['clientCertificateFingerprint'] === identity.body.clientCertificateFingerprint);
  const printed = printedAnswer(run, 'handshake-revoked-certificate');
  const [refusal] = refusalsOf(run, 'handshake-revoked-certificate');
  const before = (event: string) => ingressEvents(run, event).filter(({ body }) => body.podUid === refusal?.body.podUid && body.index < refusal.body.index);
  const [started, opened, reloaded] = [before('starting').at(-1), before('listeners_open').at(-1), before('trust_reloaded').at(-1)];
  return [
    ...refusedHandshakeRules(run, 'handshake-revoked-certificate'),
    rule('that certificate is one of the run, and the ingress had accepted it before', identity !== undefined && accepted.some(({ seq }) => seq < (printed?.seq ?? 0)), [identity, ...accepted]),
    rule('after the reload it let that certificate in no more', accepted.every(({ body }) => body.podUid !== reloaded?.body.podUid || body.index < reloaded.body.index), [reloaded, ...accepted]),
    rule('the ingress was started with a revocation list', started?.body.line['revocationList'] === true, [started]),
    rule('the ingress had reloaded its trust before the attempt, with more revoked than when it began, and nothing else of it changed', revokedMore(opened, reloaded, refusal), [opened, reloaded, refusal]),
  ];
});

type Line = ObservationOf<'ingress.line'> | undefined;

function revokedMore(opened: Line, reloaded: Line, refusal: Line): boolean {
  const [first, last] = [opened?.body.line, reloaded?.body.line];
  const same = (field: string): boolean => JSON.stringify(first?.[field]) === JSON.stringify(last?.[field]);
  return (
    (numberAt(last, 'revokedCertificates') ?? 0) > (numberAt(first, 'revokedCertificates') ?? Infinity) &&
    instantMs(last?.['revocationsNextUpdateAt']) > instantMs(refusal?.body.line['at']) &&
    same('serverCertificateFingerprint') &&
    same('clientAuthorityFingerprints')
  );
}
