import { helpText } from './configuration/help-text.ts';
import { INIT_SETTINGS } from './configuration/init-settings.ts';
import { readSettings } from './configuration/read-settings.ts';
import { toWorkerError } from './errors.ts';
import { materialise, type MaterialiseMode } from './materialisation/materialise.ts';
import { exitWith, guardProcess } from './process/exit.ts';

const COMPONENT = 'qinglong3-worker-init';
const SUMMARY = `Usage: init worker|actor

The init container: copies the authority of the Pod from the projected volume into private memory (files 0400, folder 0700) and
makes the state folders. worker: ca.crt, tls.crt, tls.key, credential-token, capabilities.json, and the folders journal, logs,
receipts, certificates. actor: ca.crt, credential-token, and journal. One JSON line. Exit 0 done, 1 failed, 64 usage.`;

async function initialise(mode: MaterialiseMode): Promise<number> {
  try {
    const settings = readSettings(process.env, INIT_SETTINGS);
    const done = await materialise(mode, { source: settings.QL3_INIT_SOURCE_ROOT, private: settings.QL3_INIT_PRIVATE_ROOT, state: settings.QL3_INIT_STATE_ROOT });
    process.stdout.write(`${JSON.stringify({ schemaVersion: 1, component: COMPONENT, event: 'materialised', mode, ...done })}\n`);
    return 0;
  } catch (thrown) {
    const { name, code, message, facts } = toWorkerError(thrown);
    process.stderr.write(`${JSON.stringify({ schemaVersion: 1, component: COMPONENT, event: 'init_failed', mode, name, code, message, ...facts })}\n`);
    return 1;
  }
}

const mode = process.argv[2];
guardProcess(COMPONENT);
if (mode === '--help') {
  process.stdout.write(helpText(SUMMARY, INIT_SETTINGS));
} else if ((mode === 'worker' || mode === 'actor') && process.argv.length === 3) {
  exitWith(await initialise(mode));
} else {
  process.stderr.write('expected exactly one argument, worker or actor; see --help\n');
  exitWith(64);
}
