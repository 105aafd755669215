import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiMachinery } from '../api-machinery.ts';
import { ISSUER } from '../authentication/service-account-tokens.ts';
import { AGGREGATED_DISCOVERY_TYPE, aggregatedDiscovery } from '../discovery/aggregated-discovery.ts';
import { coreVersions, groupList, groupOf, resourceList } from '../discovery/discovery-documents.ts';
import { servedResources } from '../discovery/served-resource.ts';
import { versionDocument } from '../discovery/version.ts';
import { openApiDocument, openApiIndex } from '../openapi/open-api-documents.ts';
import { methodNotAllowed, pathNotFound } from '../status-error.ts';
import { negotiate } from './media-negotiation.ts';
import type { RequestInfo } from './request-info.ts';
import { sendObject, sendText } from './respond.ts';

export interface NonResourceRequest {
  readonly machinery: ApiMachinery;
  readonly info: RequestInfo;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly gitVersion: string;
  readonly address: string;
}

const HEALTH = /^\/(healthz|livez|readyz)(?:\/([a-z-]+))?$/;

/** Serves what is not about objects: health, version, discovery, OpenAPI. Returns the status code. */
export async function serveNonResource(request: NonResourceRequest): Promise<number> {
  const { info, response } = request;
  if (info.method !== 'GET' && info.method !== 'HEAD') throw methodNotAllowed();
  const health = HEALTH.exec(info.path);
  if (health !== null) {
    sendText(response, 200, info.query.has('verbose') ? `[+]ping ok\n[+]storage ok\n${health[1]} check passed\n` : 'ok');
    return 200;
  }
  const { object, contentType } = await documentFor(request);
  sendObject(response, 200, object, contentType === undefined ? {} : { contentType });
  return 200;
}

async function documentFor(request: NonResourceRequest): Promise<{ object: unknown; contentType?: string }> {
  const { machinery, info, message, gitVersion, address } = request;
  const path = info.path.length > 1 && info.path.endsWith('/') ? info.path.slice(0, -1) : info.path;
  const resources = servedResources(machinery.catalog);
  switch (path) {
    case '/':
      return { object: { paths: ['/.well-known/openid-configuration', '/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/openid/v1/jwks', '/readyz', '/version'] } };
    case '/version':
      return { object: versionDocument(gitVersion) };
    case '/api':
    case '/apis': {
      const core = path === '/api';
      if (negotiate(message.headers.accept, ['aggregated-discovery', 'json']) === 'aggregated-discovery') {
        return { object: aggregatedDiscovery(resources, core ? 'core' : 'groups'), contentType: AGGREGATED_DISCOVERY_TYPE };
      }
      return { object: core ? coreVersions(address) : groupList(resources) };
    }
    case '/openapi/v3':
      return { object: openApiIndex(resources) };
    case '/openid/v1/jwks':
      return { object: await machinery.tokens.keySet(), contentType: 'application/jwk-set+json' };
    case '/.well-known/openid-configuration':
      return { object: { issuer: ISSUER, jwks_uri: `https://${address}/openid/v1/jwks`, response_types_supported: ['id_token'], subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['ES256'] } };
  }
  const [first, ...rest] = path.split('/').slice(1);
  const document =
    first === 'api' && rest.length === 1
      ? resourceList(resources, '', rest[0] as string)
      : first === 'apis' && rest.length === 1
        ? groupOf(resources, rest[0] as string)
        : first === 'apis' && rest.length === 2
          ? resourceList(resources, rest[0] as string, rest[1] as string)
          : path.startsWith('/openapi/v3/')
            ? openApiDocument(resources, path.slice('/openapi/v3/'.length))
            : null;
  if (document === null) throw pathNotFound();
  return { object: document };
}
