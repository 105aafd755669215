import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What an API server answers with when it does not answer with the object. */
export interface Status {
  readonly kind: 'Status';
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

type Headers = Readonly<Record<string, string | string[]>>;

export interface RequestDetails {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Headers;
}

/** One request, one answer, nothing hidden: status codes and bodies are what the suite is about. */
export class ApiConnection {
  readonly #options: RequestOptions;
  readonly #server: string;
  readonly #headers: Headers;

  private constructor(server: string, options: RequestOptions, headers: Headers) {
    this.#server = server;
    this.#options = options;
    this.#headers = headers;
  }

  static async open(config: KubeConfig): Promise<ApiConnection> {
    const server = config.getCurrentCluster()?.server ?? '';
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const { ca, cert, key } = options;
    return new ApiConnection(server, { agent: new Agent({ keepAlive: true, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }) }, {});
  }

  /** The same connection as another user, by impersonation. */
  as(user: string, groups: string[] = []): ApiConnection {
    return new ApiConnection(this.#server, this.#options, { 'Impersonate-User': user, ...(groups.length > 0 ? { 'Impersonate-Group': groups } : {}) });
  }

  /** A connection without a client certificate, with a bearer token or with nothing. */
  withToken(token: string | undefined): ApiConnection {
    const { ca } = (this.#options.agent as Agent).options;
    return new ApiConnection(this.#server, { agent: new Agent({ ...(ca && { ca }) }) }, token === undefined ? {} : { Authorization: `Bearer ${token}` });
  }

  get<Body = KubernetesObject>(path: string, query: RequestDetails['query'] = {}): Promise<Answer<Body>> {
    return this.send<Body>('GET', path, { query });
  }

  create<Body = KubernetesObject>(path: string, body: object, query: RequestDetails['query'] = {}): Promise<Answer<Body>> {
    return this.send<Body>('POST', path, { body, query });
  }

  replace<Body = KubernetesObject>(path: string, body: object, query: RequestDetails['query'] = {}): Promise<Answer<Body>> {
    return this.send<Body>('PUT', path, { body, query });
  }

  patch<Body = KubernetesObject>(path: string, body: unknown, type: 'merge' | 'json' | 'strategic-merge' = 'merge', query: RequestDetails['query'] = {}): Promise<Answer<Body>> {
    return this.send<Body>('PATCH', path, { body, query, contentType: type === 'json' ? 'application/json-patch+json' : `application/${type}-patch+json` });
  }

  delete<Body = KubernetesObject>(path: string, options?: object, query: RequestDetails['query'] = {}): Promise<Answer<Body>> {
    return this.send<Body>('DELETE', path, { body: options, query });
  }

  async send<Body>(method: string, path: string, details: RequestDetails): Promise<Answer<Body>> {
    const response = await this.open(method, path, details);
    const content = await text(response);
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
    return { status: response.statusCode ?? 0, body: (isJson ? JSON.parse(content) : content) as Body };
  }

  /** The answer as it comes, for watches and logs. */
  async open(method: string, path: string, { query = {}, body, contentType = 'application/json', headers = {} }: RequestDetails): Promise<IncomingMessage> {
    const url = new URL(path, this.#server);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const outgoing = request(url, {
      ...this.#options,
      method,
      headers: { Accept: 'application/json', ...(payload === undefined ? {} : { 'Content-Type': contentType, 'Content-Length': String(Buffer.byteLength(payload)) }), ...this.#headers, ...headers },
    });
    outgoing.end(payload);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }

  close(): void {
    (this.#options.agent as Agent).destroy();
  }
}
