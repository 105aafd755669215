import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { deriveReport } from '../../evidence/derive.ts';
import type { Observation } from '../../evidence/observation.ts';
import { completeRun } from '../../evidence/testing/complete-run.ts';
import { drop } from '../../evidence/testing/lies.ts';

const MAIN = new URL('main.ts', import.meta.url).pathname;
const REPORT = new URL('../../evidence/fixtures/report-v2-release.json', import.meta.url).pathname;

interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly codes: readonly string[];
  readonly details: string;
}

function audit(...argv: string[]): Answer {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...argv], { encoding: 'utf8' });
  const findings = stdout === '' ? [] : (JSON.parse(stdout) as { findings: { code: string; detail: string }[] }).findings;
  return { status, stdout, stderr, codes: [...new Set(findings.map(({ code }) => code.replace('QL3_WORKER_KUBERNETES_LIVE_', '')))], details: findings.map(({ detail }) => detail).join('\n') };
}

describe('the auditor’s command line', () => {
  let folder = '';
  const file = (name: string, content: string | Buffer, mode = 0o600): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'ql3-audit-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('answers a compatible report with one line of JSON and exit code 0', () => {
    const report = file('release.json', execFileSync('cat', [REPORT]));
    const { status, stdout, stderr } = audit(`--report=${report}`);
    assert.equal(stdout, '{"schemaVersion":1,"fixture":"qinglong/worker-kubernetes-rollout-live-contract@v2","findings":[],"compatible":true}\n');
    assert.match(stderr, /^report alone: .*--bundle=\/absolute\/tar-or-folder.*\n$/, 'what a report alone cannot show is said');
    assert.equal(status, 0);
  });

  it('answers findings with exit code 1', () => {
    const { status, codes } = audit(`--report=${file('rehearsal.json', canonicalJson(deriveReport(completeRun({ platform: 'embedded', treeClean: true })).report))}`);
    assert.equal(status, 1);
    assert.ok(codes.includes('PLATFORM'));
  });

  it('finds what JSON can say twice, and repeats no secret of it', () => {
    const token = `ql3w_live_generation_1_${'C'.repeat(43)}`;
    const { status, codes, stdout } = audit(`--report=${file('twice.json', `{"a":1,"a":"${token}"}`)}`);
    assert.equal(status, 1);
    assert.deepEqual(codes, ['REPORT_SHAPE', 'SECRET_EXPOSURE']);
    assert.ok(!stdout.includes('CCCC'));
  });

  it('answers what it cannot read, and wrong usage, with exit code 2 and nothing on stdout', () => {
    mkdirSync(join(folder, 'a-folder'));
    symlinkSync(REPORT, join(folder, 'link.json'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const [argv, said] of [
      [[], 'QL3_USAGE: expected --report=/absolute/report.json, got none; see npx ql3-evidence audit --help'],
      [['--report=relative.json'], 'INPUT_PATH'],
      [[`--report=${join(folder, 'absent.json')}`], 'INPUT_MISSING'],
      [[`--report=${join(folder, 'link.json')}`], 'INPUT_LINK'],
      [[`--report=${join(folder, 'a-folder')}`], 'INPUT_NOT_A_FILE'],
      [[`--report=${join(folder, 'pipe')}`], 'INPUT_NOT_A_FILE'],
      [['--report=/dev/zero'], 'INPUT_NOT_A_FILE'],
      [[`--report=${file('shared.json', '{}', 0o620)}`], 'INPUT_SHARED'],
      [[`--report=${file('small.json', '1')}`], 'INPUT_SIZE'],
      [[`--report=${file('large.json', ' '.repeat(1_048_577))}`], 'INPUT_SIZE'],
      [[`--report=${file('latin1.json', Buffer.from([0x22, 0xe9, 0x22]))}`], 'INPUT_ENCODING'],
      [[`--report=${file('text.json', 'not json')}`], 'INPUT_SYNTAX'],
      [[`--report=${file('nan.json', '{"a":NaN}')}`], 'INPUT_SYNTAX'],
      [[`--report=${REPORT}`, '--profile=production'], '--profile'],
      [[`--report=${REPORT}`, `--report=${REPORT}`], 'at most once'],
      [[`--report=${REPORT}`, '--jsn'], 'unknown argument'],
      [['release.json'], 'unknown argument'],
    ] as const) {
      const { status, stdout, stderr } = audit(...argv);
      assert.equal(status, 2, `${argv.join(' ')}: ${stderr}`);
      assert.equal(stdout, '');
      assert.ok(stderr.includes(said), `${argv.join(' ')}: ${stderr}`);
      assert.ok(!stderr.includes('    at '), stderr);
    }
  });

  describe('with observations', () => {
    const lines = (observations: readonly Observation[]): string => observations.map((each) => `${JSON.stringify(each)}\n`).join('');
    const run = completeRun();
    const derived = deriveReport(run).report;
    let count = 0;
    const auditWith = (report: unknown, log: string): Answer => {
      count += 1;
      mkdirSync(join(folder, `run-${count}`), { mode: 0o700 });
      const path = file(`run-${count}/report.json`, canonicalJson(report));
      file(`run-${count}/observations.jsonl`, log);
      return audit(`--report=${path}`, `--observations=${join(folder, `run-${count}`)}`);
    };

    it('accepts the report that follows from them', () => assert.deepEqual(auditWith(derived, lines(run)), { status: 0, stdout: '{"schemaVersion":1,"fixture":"qinglong/worker-kubernetes-rollout-live-contract@v2","findings":[],"compatible":true}\n', stderr: '', codes: [], details: '' }));

    it('finds DERIVATION, with gate, rule and observations, when a report claims what was not observed', () => {
      const { status, codes, details } = auditWith(derived, lines(drop('action.token-session', ({ generation }) => generation === 2)(run)));
      assert.equal(status, 1);
      assert.ok(codes.includes('DERIVATION'));
      assert.match(details, /gates\.tokenRequestSessionDisposed: the report says true, the observations say false; not observed that the end of each of the four sessions is known \(observations \d+/);
    });

    it('finds DERIVATION in a value that was edited within its bounds', () => {
      const { codes, details } = auditWith({ ...derived, productionWorker: { ...derived.productionWorker, gracefulDrainElapsedMs: 1 } }, lines(run));
      assert.deepEqual(codes, ['DERIVATION']);
      assert.match(details, /^productionWorker\.gracefulDrainElapsedMs: the report says 1, the observations say \d+$/);
    });

    it('finds PROBES when a probe was not made', () => {
      const { codes, details } = auditWith(derived, lines(drop('probe.result', ({ probe }) => probe === 'wrong-digest')(run)));
      assert.deepEqual(codes, ['PROBES']);
      assert.match(details, /probe wrong-digest: not observed that/);
    });

    it('finds BUNDLE_INTEGRITY in a log with a gap, an invented key, or a cut end', () => {
      assert.ok(auditWith(derived, lines(run.filter(({ seq }) => seq !== 9))).codes.includes('BUNDLE_INTEGRITY'));
      assert.ok(auditWith(derived, lines(run).replace('"subject"', '"x":1,"subject"')).codes.includes('BUNDLE_INTEGRITY'));
      assert.ok(auditWith(derived, lines(run).slice(0, -5)).codes.includes('BUNDLE_INTEGRITY'));
    });
  });
});
