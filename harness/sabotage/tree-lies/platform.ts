import type { TreeLie } from '../tree-lie.ts';

/** About what the run stands on, what its probes provoke, and the program that concludes. */
export const PLATFORM_LIES: readonly TreeLie[] = [
  {
    name: 'image-of-another-revision',
    pretends: 'the images are built from the revision of the run; they are of an earlier one',
    patches: [{ file: 'harness/substrate/embedded/embedded-substrate.ts', search: 'sourceRevision: this.#source.revision,', replacement: "sourceRevision: this.#source.revision.replaceAll(/[0-7]/g, '8')," }],
    caughtBy: ['gates.productionWorkerImageInKubernetes'],
    says: /the worker image was built once, from the revision and tree of this run/,
  },
  {
    name: 'ingress-without-client-certificates',
    pretends: 'the ingress serves verified peers alone; it lets anybody in',
    patches: [{ file: 'images/cluster-control/src/listeners/ingress-listener.ts', search: '    rejectUnauthorized: true,\n', replacement: '    rejectUnauthorized: false,\n' }],
    caughtBy: ['gates.productionWorkerIngressComposition', 'probes.handshake-without-certificate'],
    says: /the ingress refused that handshake with ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE/,
  },
  {
    name: 'revocation-list-not-reloaded',
    pretends: 'the ingress takes the new revocation list; nobody gives it one',
    patches: [{ file: 'harness/contract/probes/ingress-probe.ts', search: "  await context.spans.measure('probe: trust reload', () => reloadTrust(context, ingress, crlPem));\n", replacement: '  void [reloadTrust, crlPem];\n' }],
    caughtBy: ['probes.handshake-revoked-certificate'],
    says: /the ingress had reloaded its trust before the attempt/,
  },
  {
    name: 'no-rival-writer',
    pretends: 'another writer comes between read and replace; there is none, and the 409 is written down all the same',
    patches: [
      { file: 'harness/contract/probes/deliveries.ts', search: '      await rivalWrite(context, probe);\n', replacement: '      void rivalWrite;\n' },
      { file: 'harness/contract/probes/deliveries.ts', search: 'conflictStatus: watched.status, ending, errorCode }', replacement: "conflictStatus: 409, ending: 'refused' as typeof ending, errorCode: errorCode ?? 'WORKER_CREDENTIAL_DELIVERY_CONFLICT' }" },
    ],
    caughtBy: ['gates.secretAndDeploymentResourceVersionCas', 'probes.competing-writer-secret', 'probes.competing-writer-deployment'],
    says: /the API server answered a replace of the delivery with 409/,
  },
  {
    name: 'worker-not-killed',
    pretends: 'a Worker is killed and its successor closes the abandoned session; it drains',
    patches: [
      { file: 'harness/contract/probes/abandoned-session.ts', search: '    await killContainer(containerIdOf(context, killed));\n    await removeByForce(context.cluster, killed);\n', replacement: '    void [killContainer, containerIdOf, removeByForce];\n    await context.cluster.core.deleteNamespacedPod({ namespace: killed.namespace, name: killed.podName });\n' },
    ],
    caughtBy: ['probes.abandoned-session'],
    says: /the killed Worker did not end in order/,
  },
  {
    name: 'forbidden-requests-not-made',
    pretends: 'three identities were answered 403; nobody asked for anything',
    patches: [{ file: 'harness/contract/probes/forbidden-requests.ts', search: 'const { status } = await requestRaw(', replacement: 'const { status } = ((...unused: unknown[]) => ({ status: unused.length === 0 ? 500 : 403 }))(requestRaw, ' }],
    caughtBy: ['gates.leastPrivilegeTokenIssuerRbac', 'gates.restrictedCredentialDeliveryRbac', 'probes.issuer-forbidden-verb', 'probes.delivery-forbidden-verb', 'probes.executor-forbidden-verb'],
    says: /the API server logged it as forbidden for/,
  },
  {
    name: 'recovery-under-the-contracts-issuer',
    pretends: 'three tokens are requested on the host; recovery asks for more under the same name',
    patches: [{ file: 'harness/contract/recovery.ts', search: 'authorityFor(context, place, through, place.recoveryUser)', replacement: 'authorityFor(context, place, through, place.issuerUser)' }],
    caughtBy: ['gates.approvalConsumedBeforeTokenRequest', 'rbac.hostTokenRequestSessions'],
    says: /four token requests, no more/,
  },
  {
    name: 'conclusions-of-its-own',
    pretends: 'nine rechecks follow from the log; the program that concludes was taught to say nine',
    patches: [
      { file: 'harness/contract/host-action.ts', search: 'for (const replay of [false, true]) {', replacement: 'for (const replay of [false]) {' },
      { file: 'evidence/sections/approval-execution.ts', search: 'hostAuthorizationRechecks: hostAuthorizationRechecks(run),', replacement: 'hostAuthorizationRechecks: hostAuthorizationRechecks(run) + 3,' },
      { file: 'evidence/sections/approval-execution.ts', search: 'executionReplayWithoutTokenRequest: hostReplaysUsedNoToken(run).holds && ', replacement: 'executionReplayWithoutTokenRequest: hostReplaysUsedNoToken !== null && ' },
    ],
    caughtBy: ['DERIVATION', 'approvalExecution.hostAuthorizationRechecks', 'approvalExecution.executionReplayWithoutTokenRequest'],
    says: /hostAuthorizationRechecks: the report says 9, the observations say 6/,
  },
];
