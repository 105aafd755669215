import { KubeConfig } from '@kubernetes/client-node';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Authority } from '../../pki/authority.ts';

/** A server on loopback that answers as it is told, and the kubeconfig of who talks to it; whoever asked for it closes it. */
export async function stageApiServer(answer: RequestListener): Promise<{ readonly server: Server; readonly config: KubeConfig }> {
  const authority = await Authority.create('staged API server');
  const { certificatePem: cert, privateKeyPem: key } = await authority.issueServer('127.0.0.1', { dns: [], ip: ['127.0.0.1'] });
  const server = createServer({ cert, key }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'c', server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caData: Buffer.from(authority.certificatePem).toString('base64') }],
    users: [{ name: 'u' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  return { server, config };
}
