import type { TreeLie } from '../tree-lie.ts';

const PUBLICATION = 'images/cluster-admin/src/delivery/publication.ts';
const SESSION = 'images/cluster-admin/src/token-request/token-request-session.ts';

/** About how a credential gets to its Worker, and under which authority. */
export const DELIVERY_LIES: readonly TreeLie[] = [
  {
    name: 'deployment-replace-skipped',
    pretends: 'the delivery replaces the Deployment; it only says so',
    patches: [{ file: PUBLICATION, search: 'await this.#replaceDeployment(withPublication(current, this.#intent, digest))', replacement: 'withPublication(current, this.#intent, digest)' }],
    caughtBy: ['gates.secretAndDeploymentResourceVersionCas'],
    refusedWith: /a new Pod of Deployment|template has credential \(none\)/,
  },
  {
    name: 'secret-replace-without-resource-version',
    pretends: 'the Secret is replaced by compare-and-swap; the resourceVersion is left out',
    patches: [{ file: PUBLICATION, search: 'return await this.#clients.secrets.replace(secret, WRITE);', replacement: 'return await this.#clients.secrets.replace({ ...secret, metadata: { ...secret.metadata, resourceVersion: undefined } }, WRITE);' }],
    caughtBy: ['gates.secretAndDeploymentResourceVersionCas', 'probes.competing-writer-secret'],
    says: /the replace of the Secret for generation 1 carried the resourceVersion/,
  },
  {
    name: 'secret-written-twice',
    pretends: 'one replace of the Secret; there are two',
    patches: [{ file: PUBLICATION, search: 'return await this.#clients.secrets.replace(secret, WRITE);', replacement: 'return await this.#clients.secrets.replace(await this.#clients.secrets.replace(secret, WRITE), WRITE);' }],
    caughtBy: ['gates.secretAndDeploymentResourceVersionCas', 'rbac.adapterUsedRestrictedToken'],
    says: /one replace of the Secret for generation 1, answered 200/,
  },
  {
    name: 'admin-client-instead-of-restricted-one',
    pretends: 'the delivery works under the token that was requested; it is lent the administrator’s connection',
    patches: [
      {
        file: SESSION,
        search: 'return { result: await lend(options, connection, evidence, operation), evidence };',
        replacement: 'const lent = options.issuer.impersonateUser === null ? connection : openApiConnection({ ...options.issuer, impersonateUser: null }, options.connection);\n        return { result: await lend(options, lent, evidence, operation), evidence };',
      },
    ],
    caughtBy: ['rbac.adapterUsedRestrictedToken', 'gates.secretAndDeploymentResourceVersionCas'],
    says: /four replaces of secrets\/ql3-worker-live-credential by the delivery identity/,
  },
  {
    name: 'disposal-skipped',
    pretends: 'the client is unusable after its session; nobody disposes of it',
    patches: [
      { file: SESSION, search: '      } finally {\n        connection.dispose();\n      }\n    },\n  };', replacement: '      } finally {\n        void 0;\n      }\n    },\n  };' },
      { file: SESSION, search: '    connection.dispose();\n    onEvent?.', replacement: '    onEvent?.' },
    ],
    caughtBy: ['gates.tokenRequestSessionDisposed', 'probes.disposed-client', 'rbac.restrictedClientDisposedAfterEachOperation'],
    says: /no request reached the API server after the disposal/,
  },
  {
    name: 'token-for-another-account',
    pretends: 'the token is for the delivery account; another account’s is asked for',
    patches: [{ file: SESSION, search: '${encodeURIComponent(serviceAccountName)}/token`', replacement: 'default/token`' }],
    caughtBy: ['gates.leastPrivilegeTokenIssuerRbac'],
    refusedWith: /no token for ServiceAccount/,
  },
  {
    name: 'issuer-reviews-reduced',
    pretends: 'the issuer asks eight times what it must not do; it asks seven times',
    patches: [{ file: 'images/cluster-admin/src/token-request/issuer-access.ts', search: "      { namespace, verb: 'get', group: '', resource: 'pods' },\n", replacement: '' }],
    caughtBy: ['gates.leastPrivilegeTokenIssuerRbac', 'rbac.issuerDeniedChecks'],
    says: /before token 1 exactly the one allowed and eight denied accesses were reviewed/,
  },
  {
    name: 'client-reviews-reduced',
    pretends: 'the restricted client asks twenty times what it must not do; it asks nineteen times',
    patches: [{ file: 'images/cluster-admin/src/token-request/client-access.ts', search: "      { ...pods, verb: 'create', subresource: 'exec' },\n", replacement: '' }],
    caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'rbac.deniedChecks'],
    says: /under token 1 exactly the eight allowed and twenty denied accesses were reviewed/,
  },
];
