import { actionChains } from '../../../evidence/facts/actions.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { numberIn, textIn } from '../../../evidence/facts/rows.ts';
import type { RunClock } from './clock.ts';
import { moment, span } from './make-mark.ts';
import type { Lane, Mark } from './mark.ts';

/** Plans, decisions and executions as the database has them. */
export function approvals(run: ObservedRun, clock: RunClock): Lane {
  const marks = actionChains(run).flatMap(({ generation, plan, request, execution }): Mark[] => {
    const base = { witness: 'database', credential: generation } as const;
    const at = (row: typeof plan, column: string): number => clock.since(numberIn(row, column));
    const [requester, decider] = [textIn(request, 'requested_by_id'), textIn(request, 'decided_by_id')];
    return [
      ...span({ ...base, key: `approval/${generation}`, fromMs: at(plan, 'planned_at_ms'), toMs: at(request, 'consumed_at_ms'), look: 'hatched', label: `approval ${generation}`, words: `plan ${generation} by ${requester}, until its approval was consumed`, seqs: [plan, request] }),
      ...moment({ ...base, key: `requested/${generation}`, atMs: at(request, 'requested_at_ms'), look: 'tick', label: '', words: `${requester} asked for approval ${generation}`, seqs: [request] }),
      ...moment({ ...base, key: `decided/${generation}`, atMs: at(request, 'decided_at_ms'), look: 'dot', label: '', words: `${decider} approved ${generation}`, seqs: [request] }),
      ...span({ ...base, key: `execution/${generation}`, fromMs: at(execution, 'started_at_ms'), toMs: at(execution, 'completed_at_ms'), look: 'solid', label: `execution ${generation}`, words: `execution ${generation}: ${textIn(execution, 'state')}`, seqs: [execution] }),
      ...moment({ ...base, key: `consumed/${generation}`, atMs: at(request, 'consumed_at_ms'), look: 'diamond', label: '', words: `approval ${generation} was consumed`, seqs: [request] }),
    ];
  });
  return { id: 'approvals', title: 'Approvals', witness: 'database', rows: [marks] };
}
