/** A process that executes one approved action and is made to die in the middle of it. Its order, secrets and all, comes over IPC and nowhere else. */
import { once } from 'node:events';
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
  await executeCredentialAction({ ...order, pepper: parsePepper(order.pepper), confirmAuthorization: () => Promise.resolve() });
}
