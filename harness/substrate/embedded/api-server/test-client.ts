import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { ApiObject, StartedApiServer } from './in-process-api.ts';
import { startApiServer } from './in-process-api.ts';

/** For tests alone: a server in a folder of its own, gone when disposed. */
export async function startTestServer(): Promise<{ server: StartedApiServer; admin: TestClient } & AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), 'api-server-test-'));
  const server = await startApiServer({ directory });
  const admin = new TestClient(server.adminKubeconfig());
  await server.api.as('test').create({ group: '', version: 'v1', plural: 'serviceaccounts' }, 'default', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
  return {
    server,
    admin,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

export interface RawAnswer {
  readonly code: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  readonly object: ApiObject & { message?: string; reason?: string; code?: number; items?: ApiObject[]; spec?: Record<string, unknown>; status?: Record<string, unknown> };
}

export interface RawRequest {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Record<string, string>;
  /** Instead of the kubeconfig's certificate. */
  readonly token?: string;
}

/** For tests alone: requests as they go over the wire, answers as they come. */
export class TestClient {
  readonly config: KubeConfig;

  constructor(kubeconfig: string) {
    this.config = new KubeConfig();
    this.config.loadFromString(kubeconfig);
  }

  async send(method: string, path: string, { body, contentType = 'application/json', headers = {}, token }: RawRequest = {}): Promise<RawAnswer> {
    const cluster = this.config.getCurrentCluster();
    const user = this.config.getCurrentUser();
    const pem = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();
    const payload = body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, cluster?.server),
        {
          method,
          agent: false,
          ca: pem(cluster?.caData),
          ...(token === undefined ? { cert: pem(user?.certData), key: pem(user?.keyData) } : {}),
          headers: { ...(payload === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }), ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = (incoming.headers['content-type'] ?? '').includes('json');
            resolve({ code: incoming.statusCode ?? 0, headers: incoming.headers, text, object: (isJson && text !== '' ? JSON.parse(text) : {}) as RawAnswer['object'] });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }
}
