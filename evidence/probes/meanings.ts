import type { Meaning } from '../meaning.ts';
import type { ProbeId } from '../observation.ts';

/** What each probe means when it held. Every one was provoked for real. */
export const PROBE_MEANINGS: Readonly<Record<ProbeId, Meaning>> = {
  'competing-writer-secret': {
    title: 'another writer of the Secret',
    proves: 'Somebody else wrote the target Secret between read and replace; the replace got 409, and the delivery found its own state or gave up, and forced nothing.',
    doesNotProve: 'Who is right: the delivery yields, people decide.',
  },
  'competing-writer-deployment': {
    title: 'another writer of the Deployment',
    proves: 'Somebody else wrote the Deployment between read and replace; the replace got 409, and the delivery found its own state or gave up, and forced nothing.',
    doesNotProve: 'Who is right: the delivery yields, people decide.',
  },
  'crash-between-secret-and-deployment': {
    title: 'killed between two writes',
    proves: 'The executor was killed after the Secret and before the Deployment; recovery published the same delivery and wrote the Secret no second time.',
    doesNotProve: 'That recovery runs by itself: somebody starts it.',
  },
  'lost-replace-response': {
    title: 'the answer was lost',
    proves: 'A replace was carried out and its answer thrown away; the delivery found its own state and wrote it no second time.',
    doesNotProve: 'Anything about answers that come late rather than never.',
  },
  'self-approval': {
    title: 'approving the own request',
    proves: 'Whoever asked could not decide: refused with a code, the request is still pending and nothing came of it.',
    doesNotProve: 'That two accounts are two people.',
  },
  'expired-plan': {
    title: 'a plan after its time',
    proves: 'A plan that had expired by the time of the database was refused with a code, and nothing came of it.',
    doesNotProve: "That the database's clock is right.",
  },
  'wrong-digest': {
    title: 'a digest that is not the plan’s',
    proves: "A request that named another digest than its plan's was refused with a code, and nothing came of it.",
    doesNotProve: 'That people read what they approve.',
  },
  'revoked-binding': {
    title: 'a user whose role was taken away',
    proves: 'The action of a user whose binding was revoked in between was refused with a code, and nothing came of it.',
    doesNotProve: 'That actions which were finished before the revocation are undone.',
  },
  'issuer-forbidden-verb': {
    title: 'forbidden to the host issuer',
    proves: 'A request beyond its right by the issuer on the host was answered 403, as the API server itself logged.',
    doesNotProve: 'That every other verb is refused: one was tried; the reviews ask about eight.',
  },
  'delivery-forbidden-verb': {
    title: 'forbidden to the delivery',
    proves: 'A request beyond its rights by the delivery identity was answered 403, as the API server itself logged.',
    doesNotProve: 'That every other verb is refused: one was tried; the reviews ask about twenty.',
  },
  'executor-forbidden-verb': {
    title: 'forbidden to the executor',
    proves: "A request beyond its right by the executor's ServiceAccount was answered 403, as the API server itself logged.",
    doesNotProve: 'That every other verb is refused: one was tried; the reviews ask about eight.',
  },
  'database-forbidden-statement': {
    title: 'a statement beyond the grants',
    proves: 'Each of the six database roles was refused a statement with SQLSTATE 42501.',
    doesNotProve: 'That every other statement is refused: one was tried for each role.',
  },
  'disposed-client': {
    title: 'a client kept beyond its session',
    proves: 'A client that had worked within its session threw after it, and the API server logged no request.',
    doesNotProve: 'That the token itself was withdrawn: it expires.',
  },
  'superseded-token': {
    title: 'the token before the last',
    proves: 'A token whose credential had been replaced and revoked before was answered 401 over a good certificate; the ingress logged that it knew the credential and that it was not active, and the database has the refusal on record.',
    doesNotProve: 'That it was refused before the revocation: until then both are valid, so that the old Pod can drain.',
  },
  'revoked-token': {
    title: 'a revoked token',
    proves: 'A token whose credential had been revoked before was answered 401 over a good certificate; the ingress logged that it knew the credential and that it was not active, and the database has the refusal on record.',
    doesNotProve: 'That a session which is open under it ends at that moment: its next request is refused.',
  },
  'handshake-without-certificate': {
    title: 'no client certificate',
    proves: 'A TLS handshake without a client certificate was refused before any request and for that reason, as the ingress logged.',
    doesNotProve: 'Anything about who holds a good certificate: the token says that.',
  },
  'handshake-revoked-certificate': {
    title: 'a revoked client certificate',
    proves: 'A certificate that had opened the door before was refused as revoked once the ingress had reloaded its revocation list, which named more certificates than before.',
    doesNotProve: 'That the list is fetched by itself: it is a file, and a signal reloads it.',
  },
  'egress-inside': {
    title: 'a destination inside the policy',
    proves: "A Pod under the executor's network policy reached a destination that it allows.",
    doesNotProve: 'That nothing else was reachable: `egress-outside` tries one.',
  },
  'egress-outside': {
    title: 'a destination outside the policy',
    proves: "A Pod under the executor's network policy did not reach a destination that it does not allow, though something listened there.",
    doesNotProve: 'That no other destination is reachable: one was tried. Nor that it never was: the Pod knocks until the policy holds, and its line tells in which `round` that was.',
  },
  'abandoned-session': {
    title: 'a Worker killed in mid-session',
    proves: 'A production Worker was killed by force; its successor found the session abandoned in the journal, closed it there before registering, and replaced it by name.',
    doesNotProve: 'What becomes of work that it had in hand: it had none.',
  },
};
