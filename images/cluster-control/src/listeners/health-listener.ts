import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

export interface HealthListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Plain HTTP for the kubelet: `/livez` answers while the process runs, `/readyz` what `isReady` finds. */
export async function openHealthListener(
  address: { readonly host: string; readonly port: number },
  isReady: () => Promise<boolean>,
): Promise<HealthListener> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 1_000 }, (request, response) => {
    void answer(request, response, isReady);
  });
  const port = await listen(server, address);
  return {
    port,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, isReady: () => Promise<boolean>): Promise<void> {
  const readable = request.method === 'GET' || request.method === 'HEAD';
  if (readable && request.url === '/livez') send(response, 200, { status: 'live' });
  else if (readable && request.url === '/readyz') {
    if (await isReady()) send(response, 200, { status: 'ready' });
    else send(response, 503, { code: 'not_ready' }, { 'retry-after': '1' });
  } else send(response, 404, { code: 'health_route_not_found' });
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(text);
}
