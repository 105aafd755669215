/** Where the programs themselves say what they read: each parser refuses to read a variable that is not in its table. */
export { CONTROL_VARIABLES } from '../../../images/cluster-control/src/configuration/control-variables.ts';
export { EXECUTOR_VARIABLES, MANAGER_VARIABLES, SETUP_VARIABLES } from '../../../images/cluster-admin/src/command-line/variables.ts';
export { DATABASE_VARIABLES } from '../../../images/postgres/connection-variables.ts';
export type { VariableRow } from '../../../images/core/program-help.ts';
