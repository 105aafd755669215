import { commandsPage } from './commands-page.ts';
import { environmentPage } from './environment/environment-page.ts';
import { errorCodesPage } from './error-codes/error-codes-page.ts';
import { eventsPage } from './events/events-page.ts';
import { exitCodesPage } from './exit-codes-page.ts';
import { gatesPage } from './gates-page.ts';
import { reportPage } from './report/report-page.ts';
import type { GeneratedFile } from './generated-file.ts';

/** Every document that follows from the source. */
export const DOCUMENTS: readonly GeneratedFile[] = [
  { path: 'docs/commands.md', content: commandsPage },
  { path: 'docs/environment.md', content: environmentPage },
  { path: 'docs/error-codes.md', content: errorCodesPage },
  { path: 'docs/events.md', content: eventsPage },
  { path: 'docs/exit-codes.md', content: exitCodesPage },
  { path: 'docs/gates.md', content: gatesPage },
  { path: 'docs/reading-a-report.md', content: reportPage },
];
