import type { ObservedRun } from '../facts/observed-run.ts';
import type { DraftSection, SectionName } from '../report.ts';
import { approvalExecutionSection } from './approval-execution.ts';
import { callerDrivenExecutorJobSection } from './caller-driven-executor-job.ts';
import { credentialRolloutSection } from './credential-rollout.ts';
import { identityRolloutSection } from './identity-rollout.ts';
import { kubernetesSection } from './kubernetes.ts';
import { postgresqlSection } from './postgresql.ts';
import { productionWorkerSection } from './production-worker.ts';
import { rbacSection } from './rbac.ts';
import { recoverySection } from './recovery.ts';

export const SECTIONS: { readonly [N in SectionName]: (run: ObservedRun) => DraftSection<N> } = {
  kubernetes: kubernetesSection,
  postgresql: postgresqlSection,
  approvalExecution: approvalExecutionSection,
  credentialRollout: credentialRolloutSection,
  callerDrivenExecutorJob: callerDrivenExecutorJobSection,
  rbac: rbacSection,
  recovery: recoverySection,
  identityRollout: identityRolloutSection,
  productionWorker: productionWorkerSection,
};
