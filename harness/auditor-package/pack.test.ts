import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { archiveOf } from '../../evidence/testing/archive.ts';
import { bundleOf, contentsOf } from '../../evidence/testing/bundle-story.ts';
import { MOST_PACKED_BYTES, MOST_UNPACKED_BYTES, packAuditor, type AuditorPackage } from './pack.ts';

/** Every Node.js of another version that lies about here, and the one that runs this. */
const NODES = [...new Map([process.execPath, ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))].filter((path) => existsSync(path)).map((path) => [execFileSync(path, ['--version']).toString().trim(), path]))];

describe('the packed auditor', () => {
  let folder = '';
  let packed: AuditorPackage | null = null;
  const installed = (): string => join(folder, 'node_modules', 'ql3-rollout-auditor');
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, 0o600);
    return path;
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ql3-packed-'));
    packed = await packAuditor(folder);
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', packed.path], { cwd: folder, stdio: 'pipe' });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is small', () => assert.ok(packed !== null && packed.packedBytes <= MOST_PACKED_BYTES && packed.unpackedBytes <= MOST_UNPACKED_BYTES, JSON.stringify(packed)));
  it('brings no other package and needs none', () => {
    assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['ql3-rollout-auditor']);
    for (const name of readdirSync(installed()).filter((each) => each.endsWith('.js'))) {
      for (const [, imported = ''] of readFileSync(join(installed(), name), 'utf8').matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
        assert.ok(imported.startsWith('./') || (imported.startsWith('node:') && builtinModules.includes(imported.slice(5))), `${name} imports ${imported}`);
      }
    }
  });
  it('is one file for reports, one for evidence, and what they share', () => assert.equal(readdirSync(installed()).filter((name) => name.endsWith('.js')).length, 3));

  for (const [version, node] of NODES) {
    describe(`on Node.js ${version}`, () => {
      const audit = (...args: string[]): { status: number | null; stdout: string; stderr: string } => spawnSync(node, [join(installed(), 'audit.js'), ...args], { encoding: 'utf8', cwd: folder, env: {} });

      it('accepts the release report that is kept with the project', () => {
        const report = file('release.json', readFileSync(new URL('../../evidence/fixtures/report-v2-release.json', import.meta.url)));
        const { status, stdout } = audit(`--report=${report}`);
        assert.deepEqual([status, JSON.parse(stdout)], [0, { schemaVersion: 1, fixture: 'qinglong/worker-kubernetes-rollout-live-contract@v2', findings: [], compatible: true }]);
      });
      it('accepts a whole bundle, and not an edited one', () => {
        const files = bundleOf();
        const report = file('report.json', `${canonicalJson(contentsOf().report)}\n`);
        const accepted = audit(`--report=${report}`, `--bundle=${file('bundle.tar', archiveOf(files))}`);
        assert.deepEqual([accepted.status, accepted.stderr], [0, 'signature: none\n'], accepted.stdout);
        const edited = new Map([...files, ['observations.jsonl', Buffer.from(Buffer.from(files.get('observations.jsonl') ?? []).toString().replace('"stop', '"halt'))]]);
        const refused = audit(`--report=${report}`, `--bundle=${file('edited.tar', archiveOf(edited))}`);
        assert.equal(refused.status, 1);
        assert.match(refused.stdout, /QL3_WORKER_KUBERNETES_LIVE_BUNDLE_INTEGRITY/);
      });
      it('says how it is used', () => assert.equal(audit().status, 2));
    });
  }
});
