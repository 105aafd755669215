import { isForbidden, requestsBy, within } from '../facts/audit.ts';
import { mintedToken, type ForbiddenVerb } from '../facts/foreign-tokens.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult, type ProbeResult } from '../facts/probe-results.ts';
import { rule, verdict, type Rule, type Verdict } from '../verdict.ts';

type ForbiddenRequestProbe = 'issuer-forbidden-verb' | 'delivery-forbidden-verb' | 'executor-forbidden-verb';

/** One request by the identity, for real, that the API server's own log answers with 403. */
export function forbiddenVerdict(run: ObservedRun, probe: ForbiddenRequestProbe, identity: string, further: readonly Rule[] = []): Verdict {
  const result: ProbeResult<ForbiddenRequestProbe> | null = probeResult(run, probe);
  const { verb, resource, namespace, name, status } = result?.facts ?? {};
  const logged = requestsBy(run, identity).filter(
    (request) =>
      result !== null &&
      within(request, result.window) &&
      isForbidden(request) &&
      request.event.verb === verb &&
      request.event.resource === resource &&
      request.event.namespace === namespace &&
      request.event.name === name,
  );
  return verdict([rule('the probe was made once and answered 403', status === 403, [result]), rule(`the API server logged it as forbidden for ${identity}`, logged.length > 0, [result, ...logged]), ...further]);
}

/** A ServiceAccount asks with a token, which nobody but the administrator has made for the attempt. */
export function mintingRule(run: ObservedRun, probe: ForbiddenVerb): Rule {
  const minted = mintedToken(run, probe);
  return rule('its token was asked for', minted !== null, [minted]);
}
