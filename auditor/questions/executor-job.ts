import type { Report } from '../../evidence/report.ts';
import { distinct, equal, fixedValues, podsOfItsOwn, type Question } from './question.ts';

/** Place of the generation that the Job executed among the four. */
const JOB_GENERATION = 2;

/** Did a Job execute the third action, and a second Job find it executed? */
export const executorJob: Question = (report, { profile }) => {
  const { callerDrivenExecutorJob: job } = report;
  return [
    ...fixedValues(report, 'callerDrivenExecutorJob'),
    ...podsOfItsOwn(report, 'callerDrivenExecutorJob'),
    ...outputFaults(report),
    ...(['apiServerEgressCidr', 'apiServerBackendEgressCidr', 'postgresEgressCidr'] as const).map((field) => (isHost(job[field]) ? null : `callerDrivenExecutorJob.${field}: expected one IPv4 address, got ${job[field]}`)),
    profile === 'release' ? equal('callerDrivenExecutorJob.apiServerBackendPort', job.apiServerBackendPort, 6443) : null,
    profile === 'release' ? distinct('callerDrivenExecutorJob: egress destinations', [job.apiServerEgressCidr, job.apiServerBackendEgressCidr, job.postgresEgressCidr]) : null,
    job.apiServerBackendPort > 65_535 ? 'callerDrivenExecutorJob.apiServerBackendPort: expected a port' : null,
    /(^|[/:@-])(ql3|qinglong)/.test(job.image) ? null : `callerDrivenExecutorJob.image: expected an image of this project, got ${job.image}`,
  ];
};

function outputFaults({ callerDrivenExecutorJob: { firstOutput, replayOutput }, approvalExecution: { dispatchIds } }: Report): (string | null)[] {
  return [
    ...unlike('firstOutput', firstOutput, { dispatchId: dispatchIds[JOB_GENERATION], executionStatus: 'succeeded', deliveryStatus: 'published', tokenRequestUsed: true }),
    ...unlike('replayOutput', replayOutput, { dispatchId: firstOutput.dispatchId, actionRef: firstOutput.actionRef, executionStatus: 'existing', deliveryStatus: 'existing', tokenRequestUsed: false }),
  ];
}

function unlike(name: string, output: Readonly<Record<string, unknown>>, expected: Readonly<Record<string, unknown>>): (string | null)[] {
  return Object.entries(expected).map(([field, value]) => equal(`${name}.${field}`, output[field], value));
}

function isHost(cidr: string): boolean {
  return cidr.endsWith('/32') && cidr.slice(0, -3).split('.').every((octet) => Number(octet) <= 255 && String(Number(octet)) === octet);
}
