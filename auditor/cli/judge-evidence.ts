/** What is loaded only when there is more than a report: it brings all that derives one. */
export { judgeBundle } from '../bundle/judge-bundle.ts';
export { auditObservations } from '../observations/audit-observations.ts';
export { readObservationLog } from '../observations/read-observation-log.ts';
