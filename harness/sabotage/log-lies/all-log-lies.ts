import type { LogLie } from '../log-lie.ts';
import { APPROVAL_LIES } from './approval.ts';
import { CONSISTENT_LIES } from './consistent.ts';
import { DATABASE_LIES } from './database.ts';
import { DELIVERY_LIES } from './delivery.ts';
import { FOREIGN_LIES } from './foreign.ts';
import { INTEGRITY_LIES } from './integrity.ts';
import { LIFE_LIES } from './lives.ts';
import { REPORT_LIES } from './report.ts';
import { REQUEST_LIES } from './requests.ts';
import { WORKER_LINE_LIES } from './worker-lines.ts';
import { WORKER_LIES } from './worker.ts';
import { WRITER_LIES } from './writers.ts';

export const LOG_LIES: readonly LogLie[] = [...INTEGRITY_LIES, ...REPORT_LIES, ...DELIVERY_LIES, ...FOREIGN_LIES, ...APPROVAL_LIES, ...DATABASE_LIES, ...LIFE_LIES, ...REQUEST_LIES, ...WORKER_LIES, ...WORKER_LINE_LIES, ...WRITER_LIES, ...CONSISTENT_LIES];
