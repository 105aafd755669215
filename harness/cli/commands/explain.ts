import { resolve } from 'node:path';
import { GATE_NAMES } from '../../../evidence/gate-names.ts';
import { PROBE_IDS } from '../../../evidence/observation.ts';
import { HarnessError } from '../../run/errors.ts';
import { columnsOf } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { assertUsableReportPath } from '../report-path.ts';

/** Of each rule, where all gates are told, and where some are named. */
const [MOST_OBSERVATIONS, MOST_OF_NAMED] = [3, 500];

export const command = defineCommand({
  name: 'explain',
  summary: 'what a report, a bundle or a failed run says, in words and as a picture',
  description: [
    'Tells in short what it is, what it came to and what is not proven, and a line for each gate and probe; with --gate or --all what one or each of them proves and what not, and who saw what of it, when and in which step. FILE is a report, a bundle (archive or folder) or the folder that a failed run has left; gates of a bundle are derived anew from what was observed.',
    '--html writes a page for people: one file that loads nothing and runs no script, with a timeline of Pods, sessions, credentials, Secrets, the Deployment, API calls and probes, and with every order drawn that a gate rests on. --svg writes the timeline alone. Both need the times that a bundle or a failed run’s folder holds and a report alone does not, and must not exist yet.',
  ],
  usage: ['FILE [--gate=NAME]... [--all]', ' [--html=/absolute/new.html] [--svg=/absolute/new.svg] [--json]'],
  examples: [
    { command: 'npx ql3-evidence explain ~/ql3/rehearsal.tar --html=$HOME/ql3/rehearsal.html', shows: 'in short, and a page to send to others' },
    { command: 'npx ql3-evidence explain ~/ql3/rehearsal.tar --gate=recreateOrderingObserved', shows: 'all that one gate rests on' },
    { command: 'npx ql3-evidence explain ~/ql3/report.json.failure-72d7afe3', shows: 'why a run failed, and what had been proven by then' },
  ],
  options: {
    gate: { value: 'NAME', choices: [...GATE_NAMES, ...PROBE_IDS], isRepeatable: true, description: 'this gate or probe alone, with every rule and observation; may be given several times' },
    all: { description: 'every gate and probe with its rules, and some observations of each' },
    html: { value: 'PATH', completes: 'file', description: 'writes a page with the picture to a new file, mode 0600' },
    svg: { value: 'PATH', completes: 'file', description: 'writes the picture alone to a new file, mode 0600' },
  },
  positionals: [{ name: 'FILE', description: 'a report, a bundle or the folder of a failed run', completes: 'file' }],
  exits: { 0: 'it was explained, whatever it says', 2: 'unreadable, or usage' },
  async run(invocation) {
    const { options, words: [file = ''], answer } = invocation;
    for (const path of [options.html, options.svg]) if (path !== undefined) assertUsableReportPath(path);
    const { explain, InputError, NothingToDraw, renderText, writePage, writePicture } = await import('../../../auditor/explain/index.ts');
    try {
      const explained = explain(resolve(file), { now: new Date(), most: options.gate.length === 0 ? MOST_OBSERVATIONS : MOST_OF_NAMED });
      if (options.svg !== undefined) await writePicture(options.svg, explained);
      if (options.html !== undefined) await writePage(options.html, explained);
      const { explanation } = explained;
      const names: readonly string[] = options.gate;
      const isAsked = ({ name }: { readonly name: string }): boolean => names.length === 0 || names.includes(name);
      answer.give({ ...explanation, gates: explanation.gates.filter(isAsked), probes: explanation.probes.filter(isAsked) }, renderText(explanation, { all: options.all, names, columns: columnsOf(process.stdout) ?? undefined }));
      for (const path of [options.html, options.svg]) if (path !== undefined) invocation.talk(`written: ${path}`);
      return EXIT_CODES.held.code;
    } catch (error) {
      if (error instanceof NothingToDraw) throw new HarnessError('QL3_USAGE', error.message);
      // told by its own code
      throw error instanceof InputError ? Object.assign(new Error(error.message), { code: error.code, exitCode: EXIT_CODES.usage.code }) : error;
    }
  },
});
