// Runs in a Pod beside the ingress. Reads its attempts from a file, makes each once, and prints one JSON line for each answer.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const TIMEOUT_MS = 10_000;
const attempts = JSON.parse(readFileSync(process.env.QL3_PROBE_ATTEMPTS_FILE, 'utf8'));

for (const attempt of attempts) {
  const startedAt = new Date().toISOString();
  const answer = await make(attempt);
  const endedAt = new Date().toISOString();
  console.log(JSON.stringify({ schemaVersion: 1, component: 'qinglong3-ingress-probe', event: 'ingress_probed', attempt: attempt.name, startedAt, endedAt, ...answer }));
}

// With TLS 1.3 a client has finished its handshake before the server judges the client's certificate:
// only an answer to a request shows that it was let in.
function make({ url, ca, certificate, privateKey, token }) {
  return new Promise((resolve) => {
    let localPort = null;
    const outgoing = request(url, {
      method: 'POST',
      ca,
      ...(certificate === null ? {} : { cert: certificate, key: privateKey }),
      minVersion: 'TLSv1.3',
      agent: false,
      timeout: TIMEOUT_MS,
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Worker ${token}` }) },
    });
    outgoing.on('socket', (socket) => socket.on('connect', () => { localPort = socket.localPort; }));
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', (error) => resolve({ answered: false, error: error.code ?? error.message, status: null, code: null, localPort }));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => { text += chunk; }).on('end', () => {
        resolve({ answered: true, error: null, status: response.statusCode, code: codeIn(text), localPort });
      });
    });
    outgoing.end('{}');
  });
}

function codeIn(text) {
  try {
    return JSON.parse(text).code ?? null;
  } catch {
    return null;
  }
}
