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

  describe('when a Job has ended, or has not', () => {
    const ENDS = {
      failed: [{ type: 'FailureTarget', status: 'True' }, { type: 'Failed', status: 'True' }],
      'at work': [{ type: 'Suspended', status: 'False' }],
      complete: [{ type: 'SuccessCriteriaMet', status: 'True' }, { type: 'Complete', status: 'True' }],
    } as const;
    let cases = 0;

    /** A Bash as it is before the decision's execution, with a cluster whose Jobs all end alike and a database whose delivery is at `version`. */
    function given(end: keyof typeof ENDS, { log = 'echo LINE', version = 0 } = {}): { readonly deploy: string; readonly script: string } {
      const types = ENDS[end].filter(({ status }) => status === 'True').map(({ type }) => type).join(' ');
      const program = (name: string, lines: readonly string[]) => writeFileSync(join(folder, name), ['#!/bin/bash', ...lines, ''].join('\n'), { mode: 0o700 });
      program('kubectl', ['case "$*" in', `  *'get job/'*'@.status=="True"'*) printf '%s' '${types}' ;;`, `  *'get job/'*) printf '%s' '${ENDS[end].map(({ type }) => type).join(' ')}' ;;`, `  logs*) ${log} ;;`, '  *jsonpath*) printf 192.0.2.1 ;;', 'esac']);
      program('psql', ['echo max', `echo ${version}`]);
      const deploy = join(folder, `deploy-${(cases += 1)}`);
      const decision = { result: { actionRef: 'ql3-worker-1/credential-1', requestId: 'request' } };
      const setUp = [settings.replace(join(folder, 'deploy'), deploy), step('functions'), `echo '${JSON.stringify(decision)}' >"$DEPLOY/answers/decide.json"`, `echo '{}' >"$DEPLOY/secrets/passwords.json"`, step('overlay'), step('actions')];
      return { deploy, script: setUp.join('\n') };
    }

    for (const [end, within, said] of [
      ['failed', '', /^LINE\njob issue-credential-1 failed: .*section 8/m],
      ['at work', 'JOB_SECONDS=0', /^waited 0 s in vain for job issue-credential-1 to end\nLINE\njob issue-credential-1 has not ended after 0 s/m],
    ] as const) {
      test(`one that is ${end} ends the Bash, after its line, with a word`, async () => {
        const { exitCode, output } = await bash([given(end).script, within, 'execute_action issue-credential-1', 'echo went on'].join('\n'));

        assert.match(output, said);
        assert.doesNotMatch(output, /went on/);
        assert.equal(exitCode, 1);
      });
    }

    test('one that failed without a log ends it as well, and the reader is told where to look', async () => {
      const { exitCode, output } = await bash([given('failed', { log: 'exit 1' }).script, 'execute_action issue-credential-1', 'echo went on'].join('\n'));

      assert.match(output, /^job issue-credential-1 has no log: kubectl describe job\/issue-credential-1 .*\njob issue-credential-1 failed/m);
      assert.doesNotMatch(output, /went on/);
      assert.equal(exitCode, 1);
    });

    test('one that is complete does not', async () => {
      const { exitCode, output } = await bash([given('complete').script, 'execute_action issue-credential-1', 'echo went on'].join('\n'));

      assert.match(output, /^LINE\nwent on\n$/m);
      assert.equal(exitCode, 0);
    });

    test('the command of one that failed is not overwritten by the next Bash', async () => {
      const { deploy, script } = given('failed');
      await bash([script, 'execute_action issue-credential-1'].join('\n'));
      const command = () => readFileSync(join(deploy, 'requests/issue-credential-1.command.json'), 'utf8');
      const first = command();

      const { exitCode, output } = await bash([`source '${deploy}/session.sh'`, 'execute_action issue-credential-1'].join('\n'));

      assert.equal(command(), first);
      assert.match(output, /section 8/);
      assert.equal(exitCode, 1);
    });

    test('a Worker that is not seen with its credential ends the Bash, with what was waited for and how far it came', async () => {
      const { exitCode, output } = await bash([given('complete', { version: 2 }).script, 'OBSERVED_SECONDS=0', step('recovery-pass')].join('\n'));

      assert.match(output, /^waited 0 s in vain for Worker ql3-worker-1 to be seen with credential-1\n.*at version 2 .*expected 3/m);
      assert.doesNotMatch(output, /LINE/);
      assert.equal(exitCode, 1);
    });

    test('a Worker that is seen with it is followed by the recovery pass', async () => {
      const { exitCode, output } = await bash([given('complete', { version: 3 }).script, step('recovery-pass')].join('\n'));

      assert.match(output, /^LINE$/m);
      assert.equal(exitCode, 0, output);
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
