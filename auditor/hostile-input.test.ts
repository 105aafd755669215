import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseStrictJson } from '../evidence/strict-json.ts';
import { completeRun } from '../evidence/testing/complete-run.ts';
import { auditReport } from './audit-report.ts';
import { FINDING_CODES } from './findings.ts';
import { auditObservations } from './observations/audit-observations.ts';

const TEXT = readFileSync(new URL('../evidence/fixtures/report-v2-release.json', import.meta.url), 'utf8');
const LINES = completeRun().map((each) => JSON.stringify(each));
const KNOWN = new Set(FINDING_CODES.map((name) => `QL3_WORKER_KUBERNETES_LIVE_${name}`));
const SLOWEST_MS = 1000;

/** An answer and its processor time: what else the machine does is not the auditor's slowness. */
function timedAnswer(value: unknown): ReturnType<typeof auditReport> & { readonly processorMs: number } {
  const before = process.cpuUsage();
  const answer = auditReport(value, { profile: 'release', now: new Date(), sourceCommittedAt: null });
  const { user, system } = process.cpuUsage(before);
  return { ...answer, processorMs: (user + system) / 1000 };
}

/** Whatever is handed in: an answer, of known codes, soon. */
function answers(value: unknown): boolean {
  let answer = timedAnswer(value);
  // on a virtual machine the time of others is counted as well; what is slow by itself is slow each time
  for (let again = 0; again < 2 && answer.processorMs >= SLOWEST_MS; again += 1) answer = timedAnswer(value);
  assert.ok(answer.processorMs < SLOWEST_MS);
  assert.ok(answer.findings.every(({ code, detail }) => KNOWN.has(code) && typeof detail === 'string'));
  assert.ok(({} as Record<string, unknown>)['polluted'] === undefined);
  return answer.compatible;
}

const edits = fc.array(fc.record({ at: fc.nat(TEXT.length - 1), length: fc.nat(40), text: fc.oneof(fc.string(), fc.constantFrom('{', '}', '"', ',', ':', '[', ']', 'null', '1e999', '\\u0000', '__proto__', '\ud800', '/'.repeat(30))) }), { minLength: 1, maxLength: 4 });

describe('hostile input', () => {
  it('any JSON value gets an answer, and none but a report is compatible', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => assert.equal(answers(value), false)), { numRuns: 2000 });
  });

  it('a report whose text was edited at random gets an answer', () => {
    fc.assert(
      fc.property(edits, (changes) => {
        const text = changes.reduce((before, { at, length, text: inserted }) => before.slice(0, at) + inserted + before.slice(at + length), TEXT);
        const parsed = parseStrictJson(text);
        if (parsed.ok) answers(parsed.value);
        else assert.ok(parsed.message.length > 0);
      }),
      { numRuns: 3000 },
    );
  });

  it('a report with values of other kinds in it gets an answer', () => {
    const report = JSON.parse(TEXT) as Record<string, Record<string, unknown>>;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(report)), fc.nat(), fc.anything({ maxDepth: 3 }), (section, index, value) => {
        const copy = structuredClone(report);
        const keys = typeof copy[section] === 'object' ? Object.keys(copy[section]) : [];
        if (keys.length === 0) copy[section] = value as Record<string, unknown>;
        else (copy[section] as Record<string, unknown>)[keys[index % keys.length] as string] = value;
        answers(copy);
      }),
      { numRuns: 2000 },
    );
  });

  it('strings that are meant to make a pattern slow are answered soon', () => {
    for (const text of ['a'.repeat(1_000_000), 'ql3w_'.repeat(200_000), 'eyJ.'.repeat(200_000), 'eyJ'.repeat(300_000), 'eyJaaaaaaaaa.'.repeat(80_000), 'a://'.repeat(250_000), `a://${':'.repeat(900_000)}`, '-----BEGIN '.repeat(90_000), 'A1_'.repeat(300_000)]) answers({ limitations: [text] });
  });

  it('a log whose lines were left out, doubled, swapped or cut gets an answer of known codes', () => {
    const report = JSON.parse(TEXT) as unknown;
    fc.assert(
      fc.property(fc.array(fc.record({ kind: fc.constantFrom('drop', 'double', 'swap', 'cut', 'junk'), at: fc.nat(LINES.length - 2) }), { minLength: 1, maxLength: 5 }), (changes) => {
        const lines = [...LINES];
        for (const { kind, at } of changes) {
          const line = lines[at] ?? '';
          if (kind === 'drop') lines.splice(at, 1);
          else if (kind === 'double') lines.splice(at, 0, line);
          else if (kind === 'swap') [lines[at], lines[at + 1]] = [lines[at + 1] ?? '', line];
          else if (kind === 'cut') lines[at] = line.slice(0, line.length / 2);
          else lines[at] = line.replaceAll('"', '');
        }
        const findings = auditObservations(`${lines.join('\n')}\n`, report);
        assert.ok(findings.length > 0 && findings.every(({ code }) => KNOWN.has(code)));
      }),
      { numRuns: 40 },
    );
  });

  it('a log of objects that lack everything gets an answer', () => {
    const bare = LINES.map((line) => {
      const observation = JSON.parse(line) as { kind: string; body: { object?: object } };
      if (observation.kind === 'api.watched' || observation.kind === 'api.object') observation.body.object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', uid: 'x', resourceVersion: '1', ownerReferences: 7, annotations: null }, spec: [], status: 'x' };
      return JSON.stringify(observation);
    });
    assert.ok(auditObservations(`${bare.join('\n')}\n`, JSON.parse(TEXT)).length > 0);
  });
});
