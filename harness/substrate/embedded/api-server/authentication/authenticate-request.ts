import type { IncomingMessage } from 'node:http';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { certificateCredentialId } from '../pki/certificate-authority.ts';
import { unauthorized } from '../status-error.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import { authenticated, type UserInfo } from './user-info.ts';

/** The user of a request by its client certificate or bearer token. Anonymous requests are refused, as K3s does. */
export async function authenticateRequest(request: IncomingMessage, tokens: ServiceAccountTokens): Promise<UserInfo> {
  const byCertificate = certificateUser(request.socket as TLSSocket);
  if (byCertificate !== null) return authenticated(byCertificate);
  const [scheme, token, ...rest] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '' || rest.length > 0) throw unauthorized();
  const byToken = await tokens.authenticate(token);
  if (byToken === null) throw unauthorized();
  return authenticated(byToken);
}

/** Whether the certificate is of this run's authority was found out in the handshake. */
function certificateUser(socket: TLSSocket): UserInfo | null {
  const certificate = socket.getPeerCertificate() as DetailedPeerCertificate | Record<string, never>;
  if (!('subject' in certificate) || certificate.raw === undefined) return null;
  if (!socket.authorized) throw unauthorized();
  const usages = certificate.ext_key_usage;
  if (usages !== undefined && !usages.includes(CLIENT_AUTHENTICATION)) throw unauthorized();
  const { CN: user, O: organisations } = certificate.subject as { CN?: string; O?: string | string[] };
  if (user === undefined || user === '') throw unauthorized();
  return {
    username: user,
    groups: organisations === undefined ? [] : [organisations].flat(),
    extra: { 'authentication.kubernetes.io/credential-id': [certificateCredentialId(certificate.raw)] },
  };
}

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
