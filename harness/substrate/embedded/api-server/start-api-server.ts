import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiMachinery } from './api-machinery.ts';
import { AuditLog } from './audit/audit-log.ts';
import { AuditPolicy } from './audit/audit-policy.ts';
import { readAuditPolicy } from './audit/read-audit-policy.ts';
import { ServiceAccountTokens } from './authentication/service-account-tokens.ts';
import { MASTERS } from './authentication/user-info.ts';
import { RbacAuthorizer } from './authorization/rbac-authorizer.ts';
import { createBootstrapObjects } from './bootstrap/bootstrap-objects.ts';
import { DEFAULT_VERSION } from './discovery/version.ts';
import { listen } from './http/https-listener.ts';
import { serveRequest } from './http/serve-request.ts';
import type { ApiServerOptions, NodeBackend, StartedApiServer } from './in-process-api.ts';
import { CertificateAuthority } from './pki/certificate-authority.ts';
import { clientKubeconfig } from './pki/kubeconfig.ts';
import { API_SERVICE_ADDRESS } from './resources/network/address-allocation.ts';
import { BUILTIN_RESOURCES } from './resources/builtin-resources.ts';
import { ResourceCatalog } from './resources/resource-catalog.ts';
import { InProcessSession } from './session/api-session.ts';
import { ObjectStore } from './storage/object-store.ts';

const ADMIN = 'system:admin';
/** The same file that a K3s of this run is started with. */
const AUDIT_POLICY = fileURLToPath(new URL('../../../../manifests/audit/policy.yaml', import.meta.url));
const SERVER_NAMES = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local', 'localhost'];

export async function startApiServer(options: ApiServerOptions): Promise<StartedApiServer> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  let backend: NodeBackend | null = null;
  const store = new ObjectStore();
  const [authority, tokens, auditRules] = await Promise.all([CertificateAuthority.create('embedded-cluster-ca'), ServiceAccountTokens.create(store), readAuditPolicy(AUDIT_POLICY)]);
  const [serverIdentity, adminIdentity] = await Promise.all([
    authority.issueServerCertificate('kube-apiserver', SERVER_NAMES, ['127.0.0.1', API_SERVICE_ADDRESS]),
    authority.issueClientCertificate(ADMIN, [MASTERS]),
  ]);
  const machinery: ApiMachinery = { store, catalog: new ResourceCatalog(BUILTIN_RESOURCES), tokens, authorizer: new RbacAuthorizer(store), nodeBackend: () => backend };
  const auditLog = new AuditLog(join(options.directory, 'audit.log'), new AuditPolicy(auditRules));
  const stopping = new AbortController();
  let address = '';
  const context = { machinery, auditLog, gitVersion: options.advertisedVersion ?? DEFAULT_VERSION, address: () => address, stopping: stopping.signal };
  const listener = await listen(serverIdentity, authority.certificatePem, async (message, response) => serveRequest(context, message, response));
  address = `127.0.0.1:${listener.port}`;
  createBootstrapObjects(machinery, listener.port);
  const url = `https://${address}`;
  return {
    url,
    caPem: authority.certificatePem,
    api: { as: (user, groups = []) => new InProcessSession(machinery, auditLog, { username: user, groups: [...groups, 'system:authenticated'] }) },
    setNodeBackend: (given) => {
      backend = given;
    },
    adminKubeconfig: () => clientKubeconfig(url, authority.certificatePem, ADMIN, adminIdentity),
    issueClientKubeconfig: async (user, groups) => clientKubeconfig(url, authority.certificatePem, user, await authority.issueClientCertificate(user, groups)),
    auditLogPath: auditLog.path,
    stop: async () => {
      stopping.abort();
      await listener.close();
      auditLog.close();
    },
  };
}
