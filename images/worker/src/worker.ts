import { helpText } from './configuration/help-text.ts';
import { WORKER_SETTINGS } from './configuration/worker-settings.ts';
import { exitWith, guardProcess } from './process/exit.ts';
import { runWorkerProcess } from './process/worker-process.ts';

const SUMMARY = `Usage: worker

Runs the Qinglong 3 Worker: takes its volume, reconciles its journal, registers one session with the Cluster Control and keeps
it until SIGTERM or SIGINT, then drains. JSON lines on stdout, \`process_failed\` on stderr. Exit 0 stopped, 1 failed, 64 usage.
A session that is fenced, or whose lease expires, ends the process with exit 1, so that it is started anew.`;

const argument = process.argv[2];
if (argument === '--help') {
  process.stdout.write(helpText(SUMMARY, WORKER_SETTINGS));
} else if (argument === undefined) {
  guardProcess('qinglong3-worker');
  exitWith(await runWorkerProcess(process.env, process));
} else {
  process.stderr.write('worker takes no arguments; see --help\n');
  exitWith(64);
}
