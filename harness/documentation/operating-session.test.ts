import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readFences } from './fences.ts';
import { readMarkdown } from './markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const steps = new Map(readFences(readMarkdown('docs/operating.md')).flatMap(({ attributes, text }) => (attributes['step'] === undefined ? [] : [[attributes['step'], text] as const])));
const step = (name: string): string => steps.get(name) ?? assert.fail(`the guide has no step ${name}`);

function missing(): string | false {
  for (const tool of ['bash', 'jq', 'openssl']) {
    try {
      execFileSync('which', [tool], { stdio: 'ignore' });
    } catch {
      return `no ${tool}`;
    }
  }
  return false;
}

/** The parts of docs/operating.md that need no cluster: what the reader's Bash keeps, what a decider sees, what becomes of a revoked certificate. */
describe('the Bash of docs/operating.md', { skip: missing() }, () => {
  let folder: string;
  let settings: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ql3-guide-session-'));
    settings = step('settings').replace('$HOME/ql3-deploy', `'${folder}/deploy'`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function bash(script: string): Promise<{ readonly exitCode: number | null; readonly output: string }> {
    const child = spawn('bash', ['-c', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: [folder, dirname(process.execPath), process.env['PATH']].join(delimiter) } });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [exitCode] = await once(child, 'close') as [number | null];
    return { exitCode, output: Buffer.concat(chunks).toString('utf8') };
  }

  test('ends at the first error; the next one has every variable and function of the guide, and its folder', async () => {
    const all = [...steps.values()].join('\n');
    const variables = new Set([...all.matchAll(/^(?:export )?([A-Za-z_]+)=/gm)].map(([, name]) => name as string));
    const functions = new Set([...all.matchAll(/^([a-z_]+)\(\) /gm)].map(([, name]) => name as string));
    assert.ok(variables.size > 15 && functions.size > 15);
    const definitions = all.matchAll(/^[a-z_]+\(\) (?:\{.*\}$|\{[^]*?\n\}$)/gm);
    const given = [...variables].map((name) => `[ -n "\${${name}:-}" ] || ${name}='of ${name}'`);

    const first = await bash([settings, step('functions'), ...given, ...[...definitions].map(([text]) => text), 'cd /', 'false', 'echo still here'].join('\n'));

    assert.equal(first.exitCode, 1, first.output);
    assert.doesNotMatch(first.output, /still here/);
    const asked = [...variables].map((name) => `[ -n "\${${name}:-}" ] || echo no variable ${name}`).concat([...functions].map((name) => `declare -F ${name} >/dev/null || echo no function ${name}`));
    const second = await bash(['set +u', `source '${folder}/deploy/session.sh'`, 'set +eu', ...asked, 'pwd', 'set -e', 'false', 'echo still here'].join('\n'));
    assert.deepEqual([second.exitCode, second.output], [1, `${root.replace(/\/$/, '')}\n`]);
  });

  test('shows the decider the plan and the request that was made of it, with times to read', async () => {
    const plan = { action: 'issue', target: { credentialId: 'credential-1', previousCredentialId: null, credentialExpiresAtMs: 1_800_000_000_123 }, planDigest: 'p', previewDigest: 'v' };
    const request = { requestId: 'r', actionRef: 'w/credential-1', requested: { subject: { id: 'anna' } }, expiresAtMs: 1_790_000_000_000, actionDigest: 'p', previewDigest: 'v', version: 1 };
    const answers = Object.entries({ plan, propose: request }).map(([name, result]) => `echo '${JSON.stringify({ result })}' >"$DEPLOY/answers/${name}.json"`);

    const { exitCode, output } = await bash([settings, step('functions'), ...answers, step('actions'), 'show_plan'].join('\n'));

    assert.equal(exitCode, 0, output);
    const { credentialExpiresAtMs: _, ...target } = plan.target;
    assert.deepEqual(JSON.parse(output), {
      plan: { ...plan, target: { ...target, credentialExpiresAt: '2027-01-15T08:00:00Z' } },
      request: { requestId: 'r', actionRef: 'w/credential-1', requestedBy: 'anna', expiresAt: '2026-09-21T14:13:20Z', actionDigest: 'p', previewDigest: 'v' },
    });
  });

  test('makes certificates that a TLS 1.3 server lets in until they are revoked', async () => {
    const pki = join(folder, 'deploy', 'pki');
    const made = await bash([settings, step('functions'), step('authorities')].join('\n'));
    assert.equal(made.exitCode, 0, made.output);
    const read = (name: string) => readFileSync(join(pki, name));
    const trust = () => ({ key: read('ql3-worker-ingress.key'), cert: read('ql3-worker-ingress.crt'), ca: read('worker-ca.crt'), crl: read('worker-ca.crl'), minVersion: 'TLSv1.3' as const });
    const server = createServer({ ...trust(), requestCert: true, rejectUnauthorized: true }, (_, response) => response.writeHead(404).end());
    const refused: unknown[] = [];
    server.on('tlsClientError', (_, socket) => refused.push(socket.authorizationError));
    // Stands in for the kubelet and the reload: what was published is in force at once.
    server.prependListener('connection', () => server.setSecureContext(trust()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // Runs in this process's place what the guide runs in Control's Pod.
    writeFileSync(join(folder, 'kubectl'), ['#!/bin/bash', 'case "$*" in', `  *ca.crl?,*) cat '${pki}/worker-ca.crl' ;;`, '  *reload) ;;', '  logs*) echo trust_reloaded ;;', '  exec*) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;', 'esac', ''].join('\n'));
    chmodSync(join(folder, 'kubectl'), 0o700);
    const { port } = server.address() as AddressInfo;

    const { exitCode, output } = await bash([`source '${folder}/deploy/session.sh'`, 'client_trust() { :; }', step('trust').replace('port: 5801', `port: ${port}`), step('revoke-identity')].join('\n'));

    server.closeAllConnections();
    server.close();
    assert.equal(exitCode, 0, output);
    assert.match(output, /^identity-a is let in: status 404$[^]*^trust_reloaded$\n^identity-a is refused: [A-Z_]+$/m);
    assert.deepEqual(refused, ['CERT_REVOKED']);
  });
});
