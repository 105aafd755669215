import { assertReportPath, ReportFileError } from '../../evidence/report-file.ts';
import { HarnessError } from '../run/errors.ts';

export const REPORT_OPTION = { value: 'PATH', completes: 'file', description: 'absolute path of a file that does not exist; its folder must be real, and writable by its owner only' } as const;

/** Refuses a path before anything is started. */
export function assertUsableReportPath(path: string): void {
  try {
    assertReportPath(path);
  } catch (error) {
    // its words say it all: a second code would only have to be looked up too
    if (error instanceof ReportFileError) throw new HarnessError('QL3_PATH_REFUSED', error.message, { cause: error });
    throw new HarnessError('QL3_PATH_REFUSED', `expected a path of a new file that can be looked at, got ${JSON.stringify(path)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
