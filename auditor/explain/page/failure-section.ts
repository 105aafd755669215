import { isOfItsWait } from '../../../evidence/failure-index.ts';
import type { Explanation } from '../explanation.ts';
import { element, type Child } from '../picture/markup.ts';
import { tellTime } from '../timeline/clock.ts';
import { breakable } from './breakable.ts';

/** Which step, which expectation, what was seen last, and why. */
export function failureSection({ failure, error }: Explanation): Child {
  if (failure === null) return element('pre', {}, error ?? '');
  const { step, expectation, causes, lines, files } = failure;
  const waited = expectation === null ? null : element('dl', {}, element('dt', {}, 'Waited for'), element('dd', {}, expectation.expected), element('dt', {}, 'For'), element('dd', {}, `${(expectation.waitedMs / 1000).toFixed(1)} s, since ${tellTime(expectation.sinceMs)}`), element('dt', {}, 'Last seen'), element('dd', {}, expectation.lastSeen === null ? 'nothing' : `${expectation.lastSeen.text} (${tellTime(expectation.lastSeen.atMs)})`));
  const why = element('ol', {}, ...causes.map(({ code, message }) => element('li', {}, code === null ? null : element('code', {}, breakable(`${code} `)), message.split('\n').map((line, index) => (index === 0 ? breakable(line) : [element('br'), breakable(line)])))));
  return [
    // the headline has the step's title, and how it ended
    step === null ? null : element('p', {}, `Step ${step.id} began ${tellTime(step.startedMs)}.`),
    ...(isOfItsWait(failure) ? [waited, why] : [why, waited]),
    lines === null ? null : [element('p', {}, `${lines.of}:`), element('pre', {}, lines.lines.join('\n'))],
    files.length === 0 ? null : element('details', {}, element('summary', {}, `${files.length} files in the folder`), element('ul', {}, ...files.map(({ path, of }) => element('li', {}, element('code', {}, path), `: ${of}`)))),
  ];
}
