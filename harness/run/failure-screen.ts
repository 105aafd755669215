import { IN_NO_STEP, isOfItsWait, type FailureIndex } from '../../evidence/failure-index.ts';
import { shortened } from '../../evidence/shortened.ts';
import { wrap } from '../cli/wrap.ts';
import { displayWidth } from '../progress/display-width.ts';
import { inSeconds } from '../progress/in-seconds.ts';
import { prefixOf } from './describe-error.ts';

const MORE_CAUSES = 6;
/** Of what was seen last: its end is in the folder. */
const MOST_SEEN = 240;
/** What a line of a log may take of the screen: the whole of it is in the folder. */
const MOST_ROWS_OF_LOG = 4;
const TITLE = 13;
/** Of what goes on below itself, against what begins. */
const HANGING = 2;

export interface FailureScreen {
  readonly folder: string | null;
  /** To be pasted, so each is one line however long it is; a path too. */
  readonly commands: readonly { readonly title: string; readonly command: string }[];
  /** Of the terminal; without one every text is one line, for programs that look for it. */
  readonly columns?: number | null;
  /** What failed and where, as it is to stand out. */
  readonly emphasized?: (text: string) => string;
}

/** What comes first after a failure: where, what was expected, what was seen, what the log says, why, and where to look on. What was not in time leads; whatever ended the wait comes before it. */
export function describeFailure(failure: FailureIndex, { folder, commands, columns = null, emphasized = (text) => text }: FailureScreen): string {
  const within = (lines: readonly string[]): string[] => (columns === null ? [...lines] : lines.flatMap((line) => folded(line, columns)));
  return [
    ...within([heading(failure)]).map(emphasized),
    '',
    ...within(account(failure, folder !== null)),
    ...(folder === null ? [] : [...rows('run', [failure.runId]), ...rows('kept in', [folder])]),
    ...commands.flatMap(({ title, command }) => rows(title, [command])),
  ].join('\n');
}

/** A row goes on below its text, a line of a log below its bar. */
function folded(line: string, columns: number): string[] {
  if (displayWidth(line) <= columns) return [line];
  const [head] = /^ {2}.{10} (?:\| )?/.exec(line) ?? [''];
  const isLog = head.endsWith('| ');
  const below = `${isLog ? head : ' '.repeat(head.length)}${' '.repeat(HANGING)}`;
  const [first = '', ...rest] = wrap(line.slice(head.length), columns - below.length);
  const shown = isLog && rest.length >= MOST_ROWS_OF_LOG ? [...rest.slice(0, MOST_ROWS_OF_LOG - 1), '…'] : rest;
  return [`${head}${first}`, ...shown.map((each) => `${below}${each}`.trimEnd())];
}

function heading({ step, interruptedBy, elapsedMs }: FailureIndex): string {
  const how = interruptedBy === null ? 'failed' : `interrupted by ${interruptedBy}`;
  const where = step === null ? IN_NO_STEP : `in step ${step.id === step.title ? `"${step.title}"` : `${step.id}: ${step.title}`}`;
  return `${how} ${where} (after ${inSeconds(elapsedMs)})`;
}

/** Then nothing was wrong, as far as is known: there is no cause to look for in a log. */
function isNothingButInterrupted({ interruptedBy, causes: [first] }: FailureIndex): boolean {
  return interruptedBy !== null && first?.code === 'QL3_INTERRUPTED';
}

function account(failure: FailureIndex, restIsKept: boolean): string[] {
  const waited = expectation(failure);
  if (isNothingButInterrupted(failure)) return waited;
  const why = [...rows('cause', causes(failure, restIsKept)), ''];
  return isOfItsWait(failure) ? [...waited, ...logLines(failure), ...why] : [...why, ...logLines(failure), ...waited];
}

function expectation(failure: FailureIndex): string[] {
  const { expectation: waited, elapsedMs } = failure;
  if (waited === null) return [];
  const { expected, waitedMs, deadlineMs, lastSeen, sinceMs } = waited;
  const seen = lastSeen === null ? 'nothing' : shortened(lastSeen.text, MOST_SEEN);
  const ago = lastSeen === null ? '' : ` (${inSeconds(Math.max(0, sinceMs + waitedMs - lastSeen.atMs))} before the end of the wait)`;
  return [
    ...rows(isOfItsWait(failure) ? 'expected' : 'waited for', [expected]),
    ...rows('last seen', [`${seen}${ago}`]),
    ...rows('since', [`${inSeconds(elapsedMs - sinceMs)} ago; waited ${inSeconds(waitedMs)}${deadlineMs === null ? '' : ` of at most ${inSeconds(deadlineMs, 0)}`}`]),
    '',
  ];
}

function logLines({ lines }: FailureIndex): string[] {
  return lines === null ? [] : [...rows('log', [`of ${lines.of}:`, ...lines.lines.map((line) => `| ${line}`)]), ''];
}

/** The wait's own error would say once more what was expected and seen. */
function causes({ causes: all, expectation: waited }: FailureIndex, restIsKept: boolean): string[] {
  const told = all.flatMap(({ code, message }) => {
    const isTheWait = code === 'QL3_WAIT_TIMEOUT' && waited !== null && message.includes(waited.expected);
    const text = isTheWait ? 'it did not come about in time' : message;
    return text.split(/\n|(?<=that do not): |; (?=(?:gate|probe|observation log) )/).map((line, index) => `${index === 0 ? prefixOf({ code, message }) : ''}${line}`);
  });
  const shown = told.filter((line) => line.trim() !== '');
  if (shown.length <= MORE_CAUSES || !restIsKept) return shown;
  // how it begins says what it is; where it quotes a log, the end says most
  const [first, last] = [shown.slice(0, MORE_CAUSES / 2), shown.slice(-MORE_CAUSES / 2)];
  return [...first, `(${shown.length - MORE_CAUSES} lines more between, in the folder's error.txt)`, ...last];
}

/** A title once, and its lines under each other. */
function rows(title: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? title : '').padEnd(TITLE - 3)} ${line}`);
}
