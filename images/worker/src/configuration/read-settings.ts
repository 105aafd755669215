import { WorkerError } from '../errors.ts';
import { readSetting, type Setting, type SettingProblem } from './setting.ts';

type Values<S> = { readonly [N in keyof S]: S[N] extends Setting<infer T> ? T : never };

/** All of the settings of a small program, or one WORKER_CONFIGURATION_INVALID with every problem. */
export function readSettings<S extends Readonly<Record<string, Setting<unknown>>>>(environment: NodeJS.ProcessEnv, settings: S): Values<S> {
  const problems: SettingProblem[] = [];
  const values = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, readSetting(environment, name, setting, problems)]));
  if (problems.length > 0) throw configurationInvalid(problems);
  return values as Values<S>;
}

export function configurationInvalid(problems: readonly SettingProblem[]): WorkerError {
  const list = problems.map(({ name, expected, got }) => `${name}: expected ${expected}, got ${got}`);
  return new WorkerError('WORKER_CONFIGURATION_INVALID', `the configuration has ${problems.length} problem(s). ${list.join('; ')}; --help tells what is needed`, { facts: { problems } });
}
