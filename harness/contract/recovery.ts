import type { KubeConfig } from '@kubernetes/client-node';
import type { ObservationBodies } from '../../evidence/observation.ts';
import { recoverDeliveries } from '../../images/cluster-admin/src/index.ts';
import { expecting } from '../progress/activity.ts';
import { HarnessError } from '../run/errors.ts';
import type { ContractContext } from './context.ts';
import { authorityFor, SessionAccount, type DeliveryPlace } from './host-execution.ts';

export type RecoverySession = ObservationBodies['action.recovery-session'];

/** Recovery passes, page by page, over everything that a place has unfinished; one session a page. */
export async function recoverDeliveriesOf(context: ContractContext, place: DeliveryPlace, through?: KubeConfig): Promise<readonly RecoverySession[]> {
  const sessions: RecoverySession[] = [];
  for (let afterDeliveryId: string | null = null; ; ) {
    const account = new SessionAccount();
    const page = await expecting({ expected: `a recovery pass over the deliveries of ${place.workerNamespace}` }, () =>
      recoverDeliveries({ ...authorityFor(context, place, through, place.recoveryUser), afterDeliveryId, onEvent: (event) => account.hear(event) }),
    );
    const failed = page.deliveries.find((delivery) => delivery.status === 'failed');
    if (failed !== undefined) {
      throw new HarnessError('QL3_CONTRACT', `expected delivery ${failed.deliveryId} to be recovered, got ${failed.failure?.code}: ${failed.failure?.message}`);
    }
    const told = account.told();
    if (told === null) throw new HarnessError('QL3_CONTRACT', 'expected a recovery pass to tell when its TokenRequest session began and ended, got nothing');
    const { startedAt, endedAt, clientDisposed } = told;
    sessions.push({ startedAt, endedAt, clientDisposed, deliveries: page.deliveries.map(({ deliveryId, status }) => ({ deliveryId, status })) });
    if (page.nextAfterDeliveryId === null) return sessions;
    afterDeliveryId = page.nextAfterDeliveryId;
  }
}
