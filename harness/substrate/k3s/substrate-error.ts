import { HarnessError, type HarnessErrorCode } from '../../run/errors.ts';

const CODE_OF = {
  DOCKER_UNREACHABLE: 'QL3_ENVIRONMENT',
  TREE_DIRTY: 'QL3_ENVIRONMENT',
  DOCKER_UNFIT: 'QL3_ENVIRONMENT',
  MACHINE_UNFIT: 'QL3_ENVIRONMENT',
  DISK_TOO_FULL: 'QL3_ENVIRONMENT',
  IMAGE_UNAVAILABLE: 'QL3_ENVIRONMENT',
  CONTAINER_NOT_STARTED: 'QL3_ENVIRONMENT',
  CLUSTER_NOT_STARTED: 'QL3_ENVIRONMENT',
  CLUSTER_NOT_READY: 'QL3_ENVIRONMENT',
  DATABASE_NOT_READY: 'QL3_ENVIRONMENT',
  DATABASE_UNREACHABLE: 'QL3_ENVIRONMENT',
  IMAGE_LOST: 'QL3_ENVIRONMENT',
  CONTAINER_DIED: 'QL3_PLATFORM_DIED',
} as const satisfies Record<string, HarnessErrorCode>;

export type SubstrateFault = keyof typeof CODE_OF;

/** Something about Docker, the cluster or the database in it that keeps a run from going on. */
export class SubstrateError extends HarnessError {
  readonly fault: SubstrateFault;

  constructor(fault: SubstrateFault, message: string, options?: ErrorOptions) {
    super(CODE_OF[fault], message, options);
    this.fault = fault;
  }
}
