import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RunEnd } from '../run/run.ts';
import { FAILURE, failedRun, heldRun } from '../run/testing/run-ends.ts';
import { OUTPUTS, tellGithub } from './tell-github.ts';

interface Told {
  readonly summary: string;
  readonly outputs: ReadonlyMap<string, string>;
  readonly said: readonly string[];
}

/** Reads a step's output file as the runner does: `NAME<<DELIMITER`, the value, the delimiter. */
function readOutputs(text: string): ReadonlyMap<string, string> {
  const outputs = new Map<string, string>();
  for (let lines = text.split('\n'); lines.length > 1; ) {
    const [name = '', delimiter = ''] = (lines[0] ?? '').split('<<');
    const end = lines.indexOf(delimiter, 1);
    assert.ok(end > 0, text);
    outputs.set(name, lines.slice(1, end).join('\n'));
    lines = lines.slice(end + 1);
  }
  return outputs;
}

describe('GitHub Actions is told', () => {
  let folder = '';
  let count = 0;
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'ql3-github-'))));
  after(() => rmSync(folder, { recursive: true }));

  const tell = (end: RunEnd, { report = '{}', name = 'report.json' }: { report?: string; name?: string } = {}): Told => {
    count += 1;
    const [summary, output, reportPath] = ['summary', 'output', name].map((file) => join(folder, `${count}-${file}`)) as [string, string, string];
    writeFileSync(summary, 'what an earlier command said\n');
    writeFileSync(output, '');
    if (end.end === 'held') writeFileSync(reportPath, report);
    const said: string[] = [];
    tellGithub(end, { reportPath, bundlePath: end.end === 'held' ? reportPath : null, environment: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output }, say: (line) => said.push(line) });
    return { summary: readFileSync(summary, 'utf8'), outputs: readOutputs(readFileSync(output, 'utf8')), said };
  };

  test('of a run that held: every gate and probe, the report’s digest, and outputs for later steps', () => {
    const end = heldRun();
    const { summary, outputs, said } = tell(end, { report: '{"a":1}' });
    const sha256 = createHash('sha256').update('{"a":1}').digest('hex');
    assert.match(summary, /^what an earlier command said\n## Worker rollout on Kubernetes: held\n/);
    assert.doesNotMatch(summary, /[Rr]ehearsal|no release evidence/);
    for (const name of [...Object.keys(end.derivation.gates), ...Object.keys(end.derivation.probes), sha256, end.derivation.report.productionWorker.workerImageId ?? '']) assert.ok(summary.includes(`<code>${name}</code>`), name);
    assert.equal(summary.match(/✅ holds/g)?.length, Object.keys(end.derivation.gates).length + Object.keys(end.derivation.probes).length);
    assert.deepEqual([...outputs].map(([name, value]) => [name, value.replace(folder, '')]), [['report', '/1-report.json'], ['report-sha256', sha256], ['bundle', '/1-report.json'], ['bundle-sha256', sha256], ['passed', 'true'], ['profile', 'release'], ['failure-folder', '']]);
    assert.deepEqual(said, []);
  });

  test('of a rehearsal: that it is no release evidence, before anything else, and its limitations; what its platform cannot prove is not said to hold', () => {
    const end = heldRun('embedded');
    const { summary, outputs } = tell(end);
    assert.match(summary, /^what an earlier command said\n## Rehearsal of the Worker rollout, which is no release evidence: held\n/);
    assert.doesNotMatch(summary, /^#.*on Kubernetes/m);
    assert.equal(summary.match(/^- /gm)?.length, end.derivation.report.limitations.length);
    assert.match(summary, /\| <code>realKubernetesApi<\/code> \| ⚪ unproven here \|/);
    assert.equal(outputs.get('profile'), 'rehearsal');
  });

  test('of a failure: step, expectation, what was seen, cause and log; outputs that no later step takes for success; an annotation', () => {
    const { summary, outputs, said } = tell(failedRun());
    for (const text of ['failed', '<code>generation-2</code>', 'a new Pod of Deployment w to run', 'ImagePullBackOff', '```text\none\ntwo\nthree\n```', '❌ does not hold']) assert.ok(summary.includes(text), text);
    assert.match(summary, /^## Rehearsal of the Worker rollout: failed$/m);
    assert.match(tell(failedRun({ ...FAILURE, substrate: 'k3s' })).summary, /^## Worker rollout on Kubernetes: failed$/m);
    assert.deepEqual([outputs.get('passed'), outputs.get('report'), outputs.get('report-sha256'), outputs.get('failure-folder')], ['false', '', '', '/somewhere/report.json.failure-7b1f6c1e']);
    assert.deepEqual(said, ['::error title=step generation-2 failed::QL3_CONTRACT: expected Pod ns/w-1 to start, got ImagePullBackOff%0Awaited for a new Pod of Deployment w to run%0Alast seen: Pod w-1 Pending; worker waits (ImagePullBackOff)']);
  });

  test('of a failure in no step: not as one before the first, for it may have been between two', () => {
    const { summary, said } = tell(failedRun({ ...FAILURE, step: null }));
    assert.match(summary, /\bnone ran\b/);
    assert.match(said.join('\n'), /^::error title=the run failed while none of its steps ran::/);
  });

  test('nothing that a log or a path says becomes a command, an output, markup or a mention', () => {
    const hostile = '100%\r\n::warning::x\n<img src=x>|`@somebody` [a](b) ```';
    const lines = { of: hostile, file: null, lines: ['```', '</details>', '````x'] };
    const { summary, said } = tell(failedRun({ ...FAILURE, lines, step: { id: 'a,b:c', title: hostile, startedMs: 0 }, causes: [{ code: null, message: hostile }], expectation: null }, null));
    assert.deepEqual(said, ['::error title=step a%2Cb%3Ac failed::100%25%0D%0A::warning::x%0A<img src=x>|`@somebody` [a](b) ```']);
    assert.ok(!summary.includes('<img'), summary);
    assert.ok(!summary.includes('@somebody'), summary);
    assert.ok(summary.includes('`````text\n```\n</details>\n````x\n`````'), summary);
    assert.equal(summary.split('\n').filter((line) => line.startsWith('|')).length, 5);

    const { outputs } = tell(heldRun(), { name: 'a\nreport-sha256<<x\nforged\nx\nb.json' });
    assert.match(outputs.get('report-sha256') ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual([...outputs.keys()], [...OUTPUTS]);
  });

  test('only where it is the one that runs this, and a file that cannot be written does not matter', () => {
    const saidIn = (environment: NodeJS.ProcessEnv): string => {
      const said: string[] = [];
      tellGithub(failedRun(), { reportPath: '/nowhere', bundlePath: null, environment, say: (line) => said.push(line) });
      return said.join('\n');
    };
    assert.equal(saidIn({}), '');
    assert.match(saidIn({ GITHUB_OUTPUT: join(folder, 'absent', 'output') }), /^GitHub could not be told: ENOENT/);
  });
});
