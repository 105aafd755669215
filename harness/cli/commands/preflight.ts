import { defineCommand } from '../command.ts';
import { DESTINATION_OPTIONS, doctor } from './doctor.ts';

export const command = defineCommand({
  name: 'preflight',
  summary: 'whether the release path can run here: doctor --substrate=k3s',
  description: ['The same as `doctor --substrate=k3s`, under the name that workflows call.'],
  usage: ['[--pull=missing|never]', ' [--report=/absolute/new.json] [--bundle=/absolute/new.tar] [--json]'],
  examples: [{ command: 'npx ql3-evidence preflight --pull=never', shows: 'whether it can run with the images of the local store alone' }],
  options: { pull: { value: 'WHEN', choices: ['missing', 'never'], description: 'as for the run' }, ...DESTINATION_OPTIONS },
  positionals: [],
  run: ({ options: { pull = 'missing', report, bundle }, answer }) => doctor(['k3s'], pull, answer, { report, bundle }),
});
