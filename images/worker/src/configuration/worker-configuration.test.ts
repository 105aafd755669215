import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { WorkerError } from '../errors.ts';
import type { SettingProblem } from './setting.ts';
import { parseWorkerConfiguration } from './worker-configuration.ts';

const GOOD: Readonly<Record<string, string>> = {
  QL_DEPLOYMENT_PROFILE: 'worker',
  QL3_WORKER_RUNTIME_ENABLED: 'true',
  QL3_WORKER_ID: 'ql3-worker-live',
  QL3_WORKER_CONTROL_ORIGIN: 'https://ql3-worker-ingress.ns.svc:5801',
  QL3_WORKER_CAPACITY_PROFILE: 'node',
  QL3_WORKER_CAPABILITIES_FILE: '/private/capabilities.json',
  QL3_WORKER_JOURNAL_ROOT: '/state/journal',
  QL3_WORKER_LOG_ROOT: '/state/logs',
  QL3_WORKER_RECEIPT_ROOT: '/state/receipts',
  QL3_WORKER_CERTIFICATE_STORE_ROOT: '/state/certificates',
  QL3_WORKER_TRUST_ANCHOR_FILE: '/private/ca.crt',
  QL3_WORKER_CREDENTIAL_TOKEN_FILE: '/private/credential-token',
};

function problemsOf(environment: Readonly<Record<string, string>>): readonly SettingProblem[] {
  try {
    parseWorkerConfiguration(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof WorkerError && error.code === 'WORKER_CONFIGURATION_INVALID');
    return error.facts['problems'] as readonly SettingProblem[];
  }
}

function namesOf(changes: Readonly<Record<string, string>>): string[] {
  return problemsOf({ ...GOOD, ...changes }).map((problem) => problem.name);
}

void suite('the configuration of the Worker', () => {
  void test('the documented defaults', () => {
    const { cadenceMs, heartbeatIntervalMs, sessionLeaseDurationMs, requestTimeoutMs, bootstrap } = parseWorkerConfiguration(GOOD);
    assert.deepEqual({ cadenceMs, heartbeatIntervalMs, sessionLeaseDurationMs, requestTimeoutMs, bootstrap }, { cadenceMs: 500, heartbeatIntervalMs: 10_000, sessionLeaseDurationMs: 45_000, requestTimeoutMs: 15_000, bootstrap: null });
    assert.equal(parseWorkerConfiguration({ ...GOOD, QL3_WORKER_CAPACITY_PROFILE: 'edge' }).cadenceMs, 2_000);
  });

  void test('every missing setting is told at once', () => {
    assert.deepEqual(problemsOf({}).map((problem) => problem.name), Object.keys(GOOD));
  });

  void test('each limit from both sides', () => {
    const limits: readonly [string, number, number][] = [
      ['QL3_WORKER_CADENCE_MS', 100, 60_000],
      ['QL3_WORKER_HEARTBEAT_INTERVAL_MS', 5_000, 300_000],
      ['QL3_WORKER_SESSION_LEASE_DURATION_MS', 15_000, 600_000],
    ];
    const roomy = { QL3_WORKER_CADENCE_MS: '100', QL3_WORKER_HEARTBEAT_INTERVAL_MS: '5000', QL3_WORKER_SESSION_LEASE_DURATION_MS: '600000' };
    for (const [name, minimum, maximum] of limits) {
      for (const good of [minimum, maximum]) assert.deepEqual(namesOf({ ...roomy, [name]: String(good) }), []);
      for (const bad of [String(minimum - 1), String(maximum + 1), `0${minimum}`, `${minimum}.5`, `${minimum}ms`, '-1', 'NaN', ' 5000']) assert.deepEqual(namesOf({ ...roomy, [name]: bad }), [name], bad);
    }
  });

  void test('two heartbeat intervals, as the cadence rounds them, fit into the lease', () => {
    const name = 'QL3_WORKER_SESSION_LEASE_DURATION_MS';
    assert.deepEqual(namesOf({ QL3_WORKER_HEARTBEAT_INTERVAL_MS: '10000', [name]: '20000' }), []);
    assert.deepEqual(namesOf({ QL3_WORKER_HEARTBEAT_INTERVAL_MS: '10000', [name]: '19999' }), [name]);
    assert.deepEqual(namesOf({ QL3_WORKER_CADENCE_MS: '9000', QL3_WORKER_HEARTBEAT_INTERVAL_MS: '10000', [name]: '35999' }), [name]);
  });

  void test('an origin is https and nothing but an origin', () => {
    for (const bad of ['http://host:5801', 'https://host/path', 'https://user:pass@host', 'https://host?x', 'host:5801', 'https://host#x', 'https://HOST']) assert.deepEqual(namesOf({ QL3_WORKER_CONTROL_ORIGIN: bad }), ['QL3_WORKER_CONTROL_ORIGIN'], bad);
    for (const good of ['https://127.0.0.1:5801', 'https://[::1]:5801', 'https://host']) assert.deepEqual(namesOf({ QL3_WORKER_CONTROL_ORIGIN: good }), []);
  });

  void test('paths are absolute and canonical, and no two folders are one', () => {
    for (const bad of ['journal', './journal', '/state/../journal', '/state//journal', '/state/journal/']) assert.deepEqual(namesOf({ QL3_WORKER_JOURNAL_ROOT: bad }), ['QL3_WORKER_JOURNAL_ROOT'], bad);
    assert.deepEqual(namesOf({ QL3_WORKER_RECEIPT_ROOT: '/state/logs' }), ['QL3_WORKER_RECEIPT_ROOT']);
  });

  void test('half an identity is refused', () => {
    assert.deepEqual(namesOf({ QL3_WORKER_IDENTITY_BOOTSTRAP_CERTIFICATE_FILE: '/private/tls.crt' }), ['QL3_WORKER_IDENTITY_BOOTSTRAP_PRIVATE_KEY_FILE']);
  });

  void test('a misspelt name is refused, the names that Kubernetes makes for the Service are not', () => {
    assert.deepEqual(namesOf({ QL3_WORKER_CADENCE: '100' }), ['QL3_WORKER_CADENCE']);
    const links = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_INGRESS', 'PORT', 'PORT_5801_TCP', 'PORT_5801_TCP_ADDR', 'PORT_5801_TCP_PORT', 'PORT_5801_TCP_PROTO'];
    assert.deepEqual(namesOf(Object.fromEntries(links.map((link) => [`QL3_WORKER_INGRESS_${link}`, 'x']))), []);
  });

  void test('a secret in the wrong place is not repeated', () => {
    const secret = `ql3w_a_${'x'.repeat(43)}`;
    for (const name of Object.keys(GOOD)) {
      const told = JSON.stringify(problemsOf({ ...GOOD, [name]: secret, QL3_WORKER_TOKEN: secret }));
      assert.ok(!told.includes('xxxx'), told);
    }
  });
});
