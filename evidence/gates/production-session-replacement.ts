import { wasInForce } from '../facts/credential-lives.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { ingressConfirms, productSessions, recordedAtMs, registeredAsRecorded, sessionHistory, type ProductSession } from '../facts/product-sessions.ts';
import { numberIn, textIn } from '../facts/rows.ts';
import { isAudited } from '../facts/session-audits.ts';
import { judged, rule, type Rule } from '../verdict.ts';

/** Three sessions of three Pods, generations rising by one, each online after its predecessor was offline and with a heartbeat of its own. */
export const productionSessionReplacement = judged((run: ObservedRun) => {
  const sessions = productSessions(run);
  const ids = new Set(sessions.map(({ sessionId }) => sessionId));
  return [
    rule('three sessions, one for each Pod', sessions.length === 3 && ids.size === 3 && !ids.has(null), sessions.map(({ registeredLine }) => registeredLine)),
    rule('the history of this Worker knows no other session', sessionHistory(run).every((row) => ids.has(textIn(row, 'session_id'))), sessionHistory(run)),
    ...sessions.flatMap((session, index) => [...ownRules(run, session, index + 1), ...successionRules(sessions[index - 1], session, index + 1)]),
  ];
});

function ownRules(run: ObservedRun, session: ProductSession, number: number): Rule[] {
  const { registeredLine, online, heartbeat, offline, history, requests } = session;
  const beats = requests.filter(({ operation }) => operation === 'heartbeat');
  return [
    rule(`Pod and database agree on generation, version, lease and predecessor of session ${number}`, registeredAsRecorded(session), [registeredLine, online]),
    rule(`session ${number} had a heartbeat of its own, in the database and at the ingress`, heartbeat !== null && beats.length > 0, [heartbeat, ...beats]),
    rule(`every row of session ${number} has its request at the ingress, and every accepted request its row`, ingressConfirms(run, session), [...history, ...requests]),
    rule(`every state of session ${number} was recorded while its credential was in force`, history.every((row) => wasInForce(run, row)), history),
    rule(`each request of session ${number} is in the security audit, and no other is`, isAudited(run, session), [...history, ...requests]),
    rule(`session ${number} ended offline`, offline !== null && history.at(-1) === offline, [offline]),
  ];
}

function successionRules(old: ProductSession | undefined, session: ProductSession, number: number): Rule[] {
  const sources = [old?.offline, session.online];
  if (old === undefined) return [rule('session 1 is the first of this Worker', numberIn(session.online, 'generation') === 1, [session.online])];
  return [
    rule(`the generation of session ${number} is its predecessor's plus one`, numberIn(session.online, 'generation') === numberIn(old.online, 'generation') + 1, sources),
    rule(`session ${number} replaced its predecessor`, old.sessionId !== null && textIn(session.online, 'replaced_session_id') === old.sessionId, sources),
    rule(`session ${number} was online only after its predecessor was offline`, recordedAtMs(old.offline) <= recordedAtMs(session.online), sources),
  ];
}
