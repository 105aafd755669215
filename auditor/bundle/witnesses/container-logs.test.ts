import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerLogLine } from '../../../evidence/bundle-parts.ts';
import { canonicalJson } from '../../../evidence/canonical-json.ts';
import { contentsOf } from '../../../evidence/testing/bundle-story.ts';
import { containerLogFaults } from './container-logs.ts';

const { observations, containerLogs } = contentsOf();
const [FIRST] = containerLogs as [ContainerLogLine];

function faults(change: (lines: readonly ContainerLogLine[]) => readonly ContainerLogLine[], observed = observations): readonly string[] {
  return containerLogFaults(change(containerLogs).map((line) => `${canonicalJson(line)}\n`).join(''), observed);
}
const withText = (text: string) => (lines: readonly ContainerLogLine[]): readonly ContainerLogLine[] => [...lines, { ...FIRST, index: null, line: null, text }];
const hasOne = (found: readonly string[], pattern: RegExp): void => assert.ok(found.some((each) => pattern.test(each)), found.join('\n') || 'nothing was found');

describe('what containers printed', () => {
  it('may be text, also text that looks like JSON and is no line of the product', () => {
    for (const text of ['a warning', '{', '{}', '  { "a": 1 }', '{"component":"qinglong3-worker"', '["component","event"]']) assert.deepEqual(faults(withText(text)), []);
  });
  it('is not kept as text where it is a line of the product, and its observation left out', () => {
    const last = observations.findLast(({ kind }) => kind === 'process.line');
    assert.equal(last?.kind, 'process.line');
    const { podUid, index, line } = last.body;
    const hidden = (space: string) => (lines: readonly ContainerLogLine[]): readonly ContainerLogLine[] =>
      lines.map((each) => (each.podUid === podUid && each.index === index ? { ...each, index: null, line: null, text: space + JSON.stringify(line) } : each));
    for (const space of ['', ' ']) hasOne(faults(hidden(space), observations.filter((each) => each !== last)), /a line of the product stands there as text/);
  });
  for (const [what, change] of [
    ['another Pod’s name', { podName: 'another' }],
    ['another namespace', { namespace: 'default' }],
    ['another container', { container: 'another' }],
  ] as const) {
    it(`does not stand under ${what}`, () => hasOne(faults((lines) => lines.map((line) => ({ ...line, ...change }))), /the watch has shown no container/));
  }
  it('comes from a Pod that the watch has shown', () => hasOne(faults((lines) => [...lines, { ...FIRST, podUid: 'unseen', index: null, line: null, text: 'gone wrong' }]), /the watch has shown no container .* \(unseen\)/));
});
