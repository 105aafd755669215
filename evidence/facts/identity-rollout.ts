import { DELIVERY } from '../identities.ts';
import { TARGET_DEPLOYMENT, concerns, requestsBy, succeeded } from './audit.ts';
import { journalEntries, parseStartRecord } from './journal.ts';
import { linesOf } from './process-lines.ts';
import type { ObservedRun } from './observed-run.ts';
import { annotationOf, type PodLife } from './pods.ts';
import { productSessions } from './product-sessions.ts';
import { pkiIdentities } from './tls-identities.ts';
import { actorCast } from './worker-pods.ts';
import { publishedAnnotation, statesOf } from './publications.ts';
import { rule, type Rule } from '../verdict.ts';

/** Phase A: the annotation moved without a new credential, and the new Pod's record ends with the new CA's digest. */
export function actorIdentityRules(run: ObservedRun): Rule[] {
  const { executorJobReplacement: before, identityReplacement: after } = actorCast(run);
  const entries = journalEntries(run);
  const [earlier, later] = [entries[3], entries[4]];
  const trusting = entries.filter(({ pod, record }) => parseStartRecord(record)?.caDigest === identityOf(run, pod)?.body.caDigest);
  const [oldIdentity, newIdentity] = [identityOf(run, before), identityOf(run, after)];
  const [oldRecord, newRecord] = [parseStartRecord(earlier?.record), parseStartRecord(later?.record)];
  return [
    rule('the identity annotation moved while the credential stayed, in phase A', movedAlone(before, after), [before, after]),
    rule('the old actor recorded the old CA', oldIdentity !== undefined && oldRecord?.caDigest === oldIdentity.body.caDigest, [oldIdentity, ...(earlier?.sources ?? [])]),
    rule('the new actor recorded the new CA', newIdentity !== undefined && newRecord?.caDigest === newIdentity.body.caDigest, [newIdentity, ...(later?.sources ?? [])]),
    rule('each actor recorded the CA of its Pod’s identity', trusting.length === entries.length, entries.flatMap(({ sources }) => sources)),
    rule('the two CAs differ', oldIdentity?.body.caDigest !== newIdentity?.body.caDigest, [oldIdentity, newIdentity]),
    rule('the annotation was moved by another authority than the delivery', movedByAnother(run, after), [after]),
  ];
}

/** Phase B: sessions 2 and 3 differ in the certificate that the ingress saw, each the one of its Pod's annotation, and no Worker installed another. */
export function productIdentityRules(run: ObservedRun): Rule[] {
  const sessions = productSessions(run);
  const [first, second, third] = sessions;
  const installed = sessions.flatMap(({ pod }) => linesOf(run, pod.uid).filter(({ body }) => body.line['code'] === 'identity_installed').map((line) => ({ line, identity: identityOf(run, pod) })));
  return [
    rule('the identity annotation moved while the credential stayed, in phase B', movedAlone(second?.pod, third?.pod), [second?.pod, third?.pod]),
    ...[first, second, third].map((session, index) => {
      const identity = identityOf(run, session?.pod);
      const fingerprints = new Set(session?.requests.map(({ fingerprint }) => fingerprint));
      const met = identity !== undefined && fingerprints.size === 1 && fingerprints.has(identity.body.clientCertificateFingerprint ?? '');
      return rule(`the ingress saw the certificate of the Pod's identity in session ${index + 1}`, met, [identity, ...(session?.requests ?? [])]);
    }),
    rule(
      "each Worker that installed a certificate installed the one of its Pod's identity",
      installed.every(({ line, identity }) => identity !== undefined && line.body.line['fingerprint'] === identity.body.clientCertificateFingerprint),
      installed.map(({ line }) => line),
    ),
    rule('the certificates of sessions 2 and 3 differ', second?.requests[0]?.fingerprint !== third?.requests[0]?.fingerprint, [second?.requests[0], third?.requests[0]]),
    rule('the annotation was moved by another authority than the delivery', movedByAnother(run, third?.pod), [third?.pod]),
  ];
}

function identityOf(run: ObservedRun, pod: PodLife | null | undefined) {
  return pkiIdentities(run).get(annotationOf(pod, 'identityGeneration') ?? '');
}

function movedAlone(before: PodLife | null | undefined, after: PodLife | null | undefined): boolean {
  const [old, fresh] = [annotationOf(before, 'identityGeneration'), annotationOf(after, 'identityGeneration')];
  return old !== null && fresh !== null && old !== fresh && annotationOf(before, 'deliveryId') === annotationOf(after, 'deliveryId');
}

/** No replace by the delivery identity carried the resourceVersion of the state before the annotation moved. */
function movedByAnother(run: ObservedRun, pod: PodLife | null | undefined): boolean {
  const states = statesOf(run, TARGET_DEPLOYMENT);
  const moved = states.findIndex(({ body }) => publishedAnnotation(body.object, 'identityGeneration') === annotationOf(pod, 'identityGeneration'));
  const before = states[moved - 1]?.body.object.metadata.resourceVersion;
  const replaces = requestsBy(run, DELIVERY).filter((request) => concerns(request, TARGET_DEPLOYMENT) && succeeded(request));
  return before !== undefined && replaces.every(({ event }) => event.verb !== 'update' || event.resourceVersion !== before);
}
