import type { InProcessApi } from '../api-server/in-process-api.ts';
import { DeploymentController } from './deployment/deployment-controller.ts';
import { EndpointsController, EndpointSliceController } from './endpoints/endpoints-controller.ts';
import { GarbageCollector } from './garbage/garbage-collector.ts';
import { JOB_BACK_OFF, type JobBackOff, JobController } from './job/job-controller.ts';
import { defaultServiceAccounts, rootCaPublisher } from './namespaces/namespace-defaults.ts';
import { NamespaceDeletion } from './namespaces/namespace-deletion.ts';
import { ReplicaSetController } from './replica-set/replica-set-controller.ts';
import { ClusterCaches } from './runtime/cluster-caches.ts';
import type { ControllerContext } from './runtime/controller.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { ClaimController } from './volumes/claim-controller.ts';
import { ClaimProtection } from './volumes/claim-protection.ts';
import { VolumeReclaim } from './volumes/volume-reclaim.ts';

export interface ControllerOptions {
  readonly api: InProcessApi;
  /** PEM of the API server's CA, published in every namespace. */
  readonly caPem: string;
  /** Where the folders of local-path volumes are made. */
  readonly volumesDirectory: string;
  readonly jobBackOff?: JobBackOff;
  /** One line about something that failed and is tried again. */
  readonly report?: (line: string) => void;
}

/** Everything that kube-controller-manager, kube-scheduler and the local-path provisioner do for this cluster. */
export async function startControllers(options: ControllerOptions): Promise<AsyncDisposable> {
  const caches = new ClusterCaches(options.api);
  const context: ControllerContext = { api: options.api, caches, report: options.report ?? (() => undefined) };
  const claims = new ClaimController(context, options.volumesDirectory);
  const running: AsyncDisposable[] = [
    new DeploymentController(context),
    new ReplicaSetController(context),
    new JobController(context, options.jobBackOff ?? JOB_BACK_OFF),
    new Scheduler(context),
    claims,
    new ClaimProtection(context),
    new VolumeReclaim(context),
    new EndpointsController(context),
    new EndpointSliceController(context),
    rootCaPublisher(context, options.caPem),
    defaultServiceAccounts(context),
    new NamespaceDeletion(context),
    new GarbageCollector(context),
  ];
  await claims.createStorageClass();
  return {
    async [Symbol.asyncDispose]() {
      caches[Symbol.dispose]();
      await Promise.all(running.map((controller) => controller[Symbol.asyncDispose]()));
    },
  };
}
