import { controlHelp } from './configuration/control-help.ts';
import { EXIT_CONFIGURATION, runControl } from './running/control-process.ts';
import { requestReload } from './running/reload-command.ts';

const [command, ...rest] = process.argv.slice(2);
if (command === '--help') process.stdout.write(controlHelp());
else if (command === 'reload' && rest.length === 0) requestReload(process);
else if (command === undefined) await runControl(process);
else {
  process.stderr.write('expected no argument, or reload; see --help\n');
  process.exitCode = EXIT_CONFIGURATION;
}
