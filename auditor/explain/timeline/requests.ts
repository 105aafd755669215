import { requests, TARGET_DEPLOYMENT, TARGET_SECRET, type Request } from '../../../evidence/facts/audit.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { swapOf } from '../../../evidence/facts/publications.ts';
import { recoverySessions, tokenSessions } from '../../../evidence/facts/token-sessions.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, PROBE_DELIVERY, RECOVERY_ISSUER } from '../../../evidence/identities.ts';
import { tellIdentity } from '../observation-words.ts';
import type { RunClock } from './clock.ts';
import { moment, span } from './make-mark.ts';
import type { CredentialNumber, Lane, Mark } from './mark.ts';

/** Controllers of a cluster meet conflicts all the time; what is refused to the product is what tells. */
const PARTS: ReadonlySet<string> = new Set([HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER, DELIVERY, PROBE_DELIVERY]);
const SAME_BURST_MS = 2_000;

/** What the API server logged: tokens and what was done under them, refusals, and how many requests there were besides. */
export function apiCalls(run: ObservedRun, clock: RunClock): Lane {
  const sessions = tokenSessions(run);
  const base = { witness: 'api-audit' } as const;
  const tokens = [
    ...sessions.flatMap(({ generation, request, endedMs, account }) =>
      span({ ...base, credential: generation, key: `token/${generation}`, fromMs: clock.since(request.receivedMs), toMs: clock.since(endedMs), look: 'solid', label: `token ${generation}`, words: `token ${generation} was requested by ${tellIdentity(request.identity)} and used until its session ended`, seqs: [request, account] })),
    ...recoverySessions(run).flatMap(({ request, endedMs, account }, index) =>
      span({ ...base, credential: 0, key: `recovery/${index}`, fromMs: clock.since(request.receivedMs), toMs: clock.since(endedMs), look: 'hatched', label: 'recovery', isNamed: true, words: 'a recovery pass: predecessors are revoked, stage Secrets removed', seqs: [request, account] })),
  ];
  const work = sessions.flatMap((session): Mark[] => {
    const { generation, issuerReviews, deliveryReviews } = session;
    return [
      ...reviews(`issuer-reviews/${generation}`, issuerReviews, generation, 'the issuer asked what it may do', clock),
      ...reviews(`delivery-reviews/${generation}`, deliveryReviews, generation, 'the delivery asked what it may do', clock),
      ...(['Secret', 'Deployment'] as const).flatMap((kind) => {
        const { read, replaces, before } = swapOf(run, session, kind === 'Secret' ? TARGET_SECRET : TARGET_DEPLOYMENT);
        const [replace] = replaces;
        return [
          ...moment({ ...base, credential: generation, key: `get/${kind}/${generation}`, atMs: clock.since(read?.receivedMs ?? Number.NaN), look: 'dot', label: '', words: `get ${kind}: ${read?.event.code}`, seqs: [read] }),
          ...moment({ ...base, credential: generation, key: `put/${kind}/${generation}`, atMs: clock.since(replace?.receivedMs ?? Number.NaN), look: 'square', label: kind === 'Secret' ? 'S' : 'D', words: `replace ${kind} at resourceVersion ${replace?.event.resourceVersion}: ${replace?.event.code}`, seqs: [replace, before] }),
        ];
      }),
    ];
  });
  const all = requests(run);
  const refused = all.filter(({ identity, event }) => PARTS.has(identity) && (event.code === 403 || event.code === 409));
  return { id: 'api-calls', title: 'API calls', witness: 'api-audit', rows: [work, tokens, refused.flatMap((request, index) => refusal(request, refused[index + 1], clock))], crowd: all.map(({ receivedMs }) => clock.since(receivedMs)) };
}

function reviews(key: string, asked: readonly Request[], credential: CredentialNumber, words: string, clock: RunClock): Mark[] {
  const allowed = asked.filter(({ event }) => event.accessReview?.allowed === true).length;
  const [first, last] = [asked[0], asked.at(-1)];
  return span({ witness: 'api-audit', credential, key, fromMs: clock.since(first?.receivedMs ?? Number.NaN), toMs: clock.since(last?.completedMs ?? Number.NaN), look: 'hatched', label: String(asked.length), words: `${words}: ${allowed} allowed, ${asked.length - allowed} denied`, seqs: asked });
}

/** Of refusals close to each other the last one is told. */
function refusal(request: Request, next: Request | undefined, clock: RunClock): Mark[] {
  const { event, identity } = request;
  const isTold = next !== undefined && next.event.code === event.code && next.receivedMs - request.receivedMs < SAME_BURST_MS;
  return moment({ witness: 'api-audit', credential: 0, key: `refused/${request.seq}`, atMs: clock.since(request.receivedMs), look: 'cross', label: isTold ? '' : String(event.code), words: `${tellIdentity(identity)} was answered ${event.code}: ${event.verb} ${event.resource} ${event.namespace ?? ''}/${event.name ?? ''}`, seqs: [request] });
}

