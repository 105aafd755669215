/** A process that executes one approved action and is made to die in the middle of it. Its order, secrets and all, comes over IPC and nowhere else. */
import { once } from 'node:events';
import { describeError } from '../../run/describe-error.ts';
import { executeCredentialAction, parsePepper, type ClusterAccess, type DatabaseConfig, type ExecutionCommand, type ExecutionTargets } from '../../../images/cluster-admin/src/index.ts';

export interface CrashOrder {
  readonly cluster: ClusterAccess;
  readonly targets: ExecutionTargets;
  readonly database: DatabaseConfig;
  readonly command: ExecutionCommand;
  readonly pepper: string;
}

if (process.send !== undefined) {
  process.on('disconnect', () => process.exit(1));
  const [order] = (await once(process, 'message')) as [CrashOrder];
  try {
    await executeCredentialAction({ ...order, pepper: parsePepper(order.pepper), confirmAuthorization: () => Promise.resolve() });
  } catch (error) {
    // it was to die later on: whoever reads why it did not wants the reason, not where in the code
    process.stderr.write(describeError(error));
    process.exit(1);
  }
}
