import { ACTOR_SETTINGS } from './configuration/actor-settings.ts';
import { helpText } from './configuration/help-text.ts';
import { readSettings } from './configuration/read-settings.ts';
import { toWorkerError } from './errors.ts';
import { exitWith, guardProcess } from './process/exit.ts';
import { holdProcess } from './process/lifecycle-handle.ts';
import { ShutdownRequest } from './process/shutdown-request.ts';
import { beginActor, endActor } from './rollout/actor-run.ts';

const COMPONENT = 'qinglong3-rollout-actor';
const SUMMARY = `Usage: actor run|stop

The bounded actor of a rollout rehearsal. run: prints the journal that it inherits, appends its start with the digests of the
credential token and of the trust anchor, and waits for SIGTERM. stop: appends the stop; it is the Pod's preStop hook.
Exit 0 done, 1 failed, 64 usage.`;

function print(event: string, fields: object): void {
  process.stdout.write(`${JSON.stringify({ schemaVersion: 1, component: COMPONENT, event, ...fields })}\n`);
}

async function run(): Promise<void> {
  using _handle = holdProcess();
  const shutdown = new ShutdownRequest(() => {});
  const settings = readSettings(process.env, ACTOR_SETTINGS);
  await beginActor(settings.QL3_ACTOR_POD_UID, { state: settings.QL3_ACTOR_STATE_ROOT, authority: settings.QL3_ACTOR_AUTHORITY_ROOT }, print);
  await shutdown.received;
}

async function stop(): Promise<void> {
  const { QL3_ACTOR_STATE_ROOT, QL3_ACTOR_POD_UID } = ACTOR_SETTINGS;
  const settings = readSettings(process.env, { QL3_ACTOR_STATE_ROOT, QL3_ACTOR_POD_UID });
  await endActor(settings.QL3_ACTOR_POD_UID, settings.QL3_ACTOR_STATE_ROOT);
}

async function exitCodeOf(action: () => Promise<void>): Promise<number> {
  try {
    await action();
    return 0;
  } catch (thrown) {
    const { name, code, message, facts } = toWorkerError(thrown);
    process.stderr.write(`${JSON.stringify({ schemaVersion: 1, component: COMPONENT, event: 'actor_failed', name, code, message, ...facts })}\n`);
    return 1;
  }
}

const command = process.argv[2];
guardProcess(COMPONENT);
if (command === '--help') {
  process.stdout.write(helpText(SUMMARY, ACTOR_SETTINGS));
} else if ((command === 'run' || command === 'stop') && process.argv.length === 3) {
  exitWith(await exitCodeOf(command === 'run' ? run : stop));
} else {
  process.stderr.write('expected exactly one argument, run or stop; see --help\n');
  exitWith(64);
}
