import { EXIT_CODES } from '../cli/exit-codes.ts';
import { GENERATED_NOTE, table } from './generated-file.ts';

const PROGRAMS = [
  ['`worker.mjs`', '0 drained and offline', '1 `process_failed`', '64'],
  ['`init.mjs`', '0 copied', '1 `init_failed`', '64'],
  ['`control.mjs`', '0 drained', '1 `process_failed`', '64'],
  ['`control.mjs reload`', '0 told to reload', '1 not running', '64'],
  ['`manage.mjs`', '0', '1 refused', '64'],
  ['`executor.mjs`', '0', '1 `execution_failed`', '64'],
  ['`recovery.mjs`', '0, also when a delivery of the page failed: see its `failure`', '1 `recovery_failed`', '64'],
  ['`database.mjs`', '0', '1', '64'],
  ['`target.mjs`', '0', '1', '64'],
];

export function exitCodesPage(): string {
  return [
    '# Exit codes',
    GENERATED_NOTE,
    '## Commands of this repository',
    '`run`, `rehearse`, `audit` and the others share one list. A message on stderr says which case it was.',
    table(['exit code', 'meaning'], [...Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]), ['130, 143', 'interrupted: the process ends by the signal that it got']]),
    'A code above 128 that a shell reports means: ended by signal (code − 128). 137 is a kill, often for memory; what it left, `clean` removes.',
    '## Programs of the images',
    table(['program', 'success', 'failure', 'usage: nothing was opened or done'], PROGRAMS),
    '',
  ].join('\n\n').trimEnd() + '\n';
}
