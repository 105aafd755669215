export type ControlErrorCode =
  | 'QL3_CLUSTER_CONTROL_CONFIGURATION_INVALID'
  | 'QL3_CLUSTER_CONTROL_TRUST_MATERIAL_INVALID'
  | 'QL3_CLUSTER_CONTROL_DATABASE_NOT_READY'
  | 'QL3_CLUSTER_CONTROL_LISTEN_FAILED'
  | 'QL3_CLUSTER_CONTROL_NOT_RUNNING';

/** One thing that is wrong, with the variable or file it concerns. Never holds a secret. */
export interface Problem {
  readonly subject: string;
  readonly problem: string;
}

/** Everything wrong with one input, reported at once, so that an operator corrects it in one go. */
export class ControlError extends Error {
  readonly code: ControlErrorCode;
  readonly problems: readonly Problem[];

  constructor(code: ControlErrorCode, problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(({ subject, problem }) => `${subject}: ${problem}`).join('; '), options);
    this.name = 'ControlError';
    this.code = code;
    this.problems = problems;
  }
}
