import { parseArgs } from 'node:util';
import { EXECUTOR_PREFIX, readAllAuthority } from './command-line/authority-environment.ts';
import { AUTHORITY_NEEDS, AUTHORITY_VARIABLES } from './command-line/program-needs.ts';
import { runCommand } from './command-line/run-command.ts';
import { readBoth, UsageError } from './command-line/usage-error.ts';
import { recoverDeliveries } from './recovery/recover-deliveries.ts';
import { recoverExecution } from './recovery/recover-execution.ts';

const USAGE = 'expected: deliveries [--after=DELIVERY_ID] [--limit=1..64], or execution --action=ACTION_REF';

const SUMMARY = `Usage: recovery deliveries [--after=DELIVERY_ID] [--limit=1..64]
       recovery execution --action=ACTION_REF

deliveries: one page of what was interrupted is published, revoked or discarded. execution: ends one that was left behind its
start barrier. It never repeats itself. One JSON line: stdout when it succeeded, stderr when it failed. Exit 0 done, 1 failed, 64 usage.`;
const EXECUTOR_ONLY = ['COMMAND_FILE', 'PEPPER_FILE'];
const VARIABLES = AUTHORITY_VARIABLES.map(({ prefix, rows }) => ({ prefix, rows: prefix === EXECUTOR_PREFIX ? rows.filter(({ name }) => !EXECUTOR_ONLY.includes(name)) : rows }));

/** One page of deliveries, or one execution that was left behind its start barrier. It never repeats itself. */
await runCommand({
  component: 'qinglong3-worker-credential-recovery',
  subject: 'recovery',
  help: { summary: SUMMARY, variables: VARIABLES, needs: AUTHORITY_NEEDS },
  async run(signal) {
    const [task, given] = readBoth(() => readTask(process.argv.slice(2)), () => readAllAuthority(process.env));
    const authority = { ...given, signal };
    if (task.name === 'execution') return { ...(await recoverExecution({ ...authority, actionRef: task.actionRef })) };
    const { deliveries, nextAfterDeliveryId } = await recoverDeliveries({ ...authority, ...task.page });
    return { deliveries, nextAfterDeliveryId };
  },
});

type Task =
  | { readonly name: 'execution'; readonly actionRef: string }
  | { readonly name: 'deliveries'; readonly page: { readonly afterDeliveryId: string | null; readonly limit: number } };

function readTask(args: string[]): Task {
  let parsed;
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: { after: { type: 'string' }, limit: { type: 'string' }, action: { type: 'string' } } });
  } catch (error) {
    throw new UsageError([(error as Error).message, USAGE]);
  }
  const { after, limit = '16', action } = parsed.values;
  const [name, ...rest] = parsed.positionals;
  if (rest.length === 0 && name === 'execution' && action && after === undefined) return { name, actionRef: action };
  if (rest.length === 0 && name === 'deliveries' && action === undefined && /^\d{1,2}$/.test(limit)) {
    return { name, page: { afterDeliveryId: after ?? null, limit: Number(limit) } };
  }
  throw new UsageError([USAGE]);
}
