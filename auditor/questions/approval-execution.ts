import { distinct, fixedValues, type Question } from './question.ts';

/** Were four different plans approved, consumed and executed once each, before any token was asked for? */
export const approvalExecution: Question = (report) => {
  const { planDigests, approvalRequestIds, dispatchIds } = report.approvalExecution;
  return [
    ...fixedValues(report, 'approvalExecution'),
    distinct('approvalExecution.planDigests', planDigests),
    distinct('approvalExecution.approvalRequestIds', approvalRequestIds),
    distinct('approvalExecution.dispatchIds', dispatchIds),
    dispatchIds.some((id) => approvalRequestIds.includes(id)) ? 'approvalExecution.dispatchIds: expected other ids than those of the requests' : null,
  ];
};
