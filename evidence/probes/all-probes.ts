import type { ObservedRun } from '../facts/observed-run.ts';
import type { ProbeId } from '../observation.ts';
import type { Verdict } from '../verdict.ts';
import { abandonedSession } from './abandoned-session.ts';
import { competingWriterDeployment } from './competing-writer-deployment.ts';
import { competingWriterSecret } from './competing-writer-secret.ts';
import { crashBetweenSecretAndDeployment } from './crash-between-secret-and-deployment.ts';
import { databaseForbiddenStatement } from './database-forbidden-statement.ts';
import { deliveryForbiddenVerb } from './delivery-forbidden-verb.ts';
import { disposedClient } from './disposed-client.ts';
import { egressInside } from './egress-inside.ts';
import { egressOutside } from './egress-outside.ts';
import { executorForbiddenVerb } from './executor-forbidden-verb.ts';
import { expiredPlan } from './expired-plan.ts';
import { handshakeRevokedCertificate } from './handshake-revoked-certificate.ts';
import { handshakeWithoutCertificate } from './handshake-without-certificate.ts';
import { issuerForbiddenVerb } from './issuer-forbidden-verb.ts';
import { lostReplaceResponse } from './lost-replace-response.ts';
import { revokedBinding } from './revoked-binding.ts';
import { revokedToken } from './revoked-token.ts';
import { selfApproval } from './self-approval.ts';
import { supersededToken } from './superseded-token.ts';
import { wrongDigest } from './wrong-digest.ts';

/** Every probe by its id. */
export const PROBES: Readonly<Record<ProbeId, (run: ObservedRun) => Verdict>> = {
  'competing-writer-secret': competingWriterSecret,
  'competing-writer-deployment': competingWriterDeployment,
  'crash-between-secret-and-deployment': crashBetweenSecretAndDeployment,
  'lost-replace-response': lostReplaceResponse,
  'self-approval': selfApproval,
  'expired-plan': expiredPlan,
  'wrong-digest': wrongDigest,
  'revoked-binding': revokedBinding,
  'issuer-forbidden-verb': issuerForbiddenVerb,
  'delivery-forbidden-verb': deliveryForbiddenVerb,
  'executor-forbidden-verb': executorForbiddenVerb,
  'database-forbidden-statement': databaseForbiddenStatement,
  'disposed-client': disposedClient,
  'superseded-token': supersededToken,
  'revoked-token': revokedToken,
  'handshake-without-certificate': handshakeWithoutCertificate,
  'handshake-revoked-certificate': handshakeRevokedCertificate,
  'egress-inside': egressInside,
  'egress-outside': egressOutside,
  'abandoned-session': abandonedSession,
};

/** Probes that need what the embedded cluster does not do: enforce a network policy. */
export const UNPROVABLE_ON_EMBEDDED: readonly ProbeId[] = ['egress-inside', 'egress-outside'];
