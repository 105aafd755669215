import { HarnessError } from '../run/errors.ts';
import type { Command, GivenOptions, Options } from './command.ts';
import { COMMON_OPTIONS } from './parse-arguments.ts';

/**
 * `npm run clean --dry-run`, without a separating `--`, gives the option to npm, which takes it for a setting of its own and hands
 * it on in the environment alone (npm-run-script, “Configuration”): lost in silence it would change what is done.
 */
export function assertNothingSwallowed({ name, options }: Command, given: GivenOptions<Options>, env: NodeJS.ProcessEnv = process.env): void {
  for (const [option, { value }] of Object.entries({ ...options, ...COMMON_OPTIONS })) {
    const got: unknown = given[option];
    const isGiven = got !== undefined && got !== false && !(Array.isArray(got) && got.length === 0);
    if (isGiven || env[`npm_config_${option.replaceAll('-', '_')}`] === undefined) continue;
    throw new HarnessError('QL3_USAGE', `npm took --${option} for itself; write \`npm run ${scriptOf(name, env)} -- --${option}${value === undefined ? '' : '=…'}\``);
  }
}

/** The script that was run, where it is the one of this command. */
function scriptOf(command: string, env: NodeJS.ProcessEnv): string {
  const { npm_lifecycle_event: script, npm_lifecycle_script: program = '' } = env;
  return script !== undefined && program.includes(`bootstrap.mjs ${command}`) ? script : command;
}
