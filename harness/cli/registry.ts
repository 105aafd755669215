import type { Command } from './command.ts';

type Loader = () => Promise<{ readonly command: Command }>;

/** Every command, in the order of the help. Each is loaded when it is asked for: who audits needs no cluster. */
const COMMANDS: Readonly<Record<string, Loader>> = {
  rehearse: () => import('./commands/rehearse.ts'),
  run: () => import('./commands/run.ts'),
  audit: () => import('./commands/audit.ts'),
  explain: () => import('./commands/explain.ts'),
  doctor: () => import('./commands/doctor.ts'),
  plan: () => import('./commands/plan.ts'),
  clean: () => import('./commands/clean.ts'),
  version: () => import('./commands/version.ts'),
  completion: async () => ({ command: (await import('./commands/completion.ts')).completionOf(loadAllCommands) }),
};

/** Names that scripts know, for what another command does now; neither listed nor completed. */
const FORMER: Readonly<Record<string, Loader>> = {
  preflight: () => import('./commands/preflight.ts'),
};

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** The command, or null when there is none of that name. */
export async function loadCommand(name: string): Promise<Command | null> {
  const load = [COMMANDS, FORMER].find((commands) => Object.hasOwn(commands, name))?.[name];
  return load === undefined ? null : (await load()).command;
}

/** All that are listed. */
export async function loadAllCommands(): Promise<readonly Command[]> {
  return await Promise.all(Object.values(COMMANDS).map(async (load) => (await load()).command));
}
