import { CONTRACT_NAMES, PROBE_NAMES } from '../../evidence/contract-names.ts';

/** Every namespace that a run makes; a cluster that has one of them already is another run's. */
export const RUN_NAMESPACES: readonly string[] = [
  CONTRACT_NAMES.workerNamespace,
  CONTRACT_NAMES.stageNamespace,
  CONTRACT_NAMES.executorNamespace,
  PROBE_NAMES.workerNamespace,
  PROBE_NAMES.stageNamespace,
  PROBE_NAMES.executorNamespace,
];
