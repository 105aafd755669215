import { ACTOR_SETTINGS } from '../../../images/worker/src/configuration/actor-settings.ts';
import { INIT_SETTINGS } from '../../../images/worker/src/configuration/init-settings.ts';
import type { Setting } from '../../../images/worker/src/configuration/setting.ts';
import { WORKER_SETTINGS } from '../../../images/worker/src/configuration/worker-settings.ts';
import { ENVIRONMENT } from '../../cli/environment.ts';
import { GENERATED_NOTE, table } from '../generated-file.ts';
import { CONTROL_VARIABLES, DATABASE_VARIABLES, EXECUTOR_VARIABLES, MANAGER_VARIABLES, SETUP_VARIABLES, type VariableRow } from './product-variables.ts';

type Settings = Readonly<Record<string, Setting<unknown>>>;

const DATABASE_PREFIXES = [
  ['`QL3_POSTGRES_WORKER_INGRESS_`', 'Control', '`ql3_worker_ingress`'],
  ['`QL3_POSTGRES_WORKER_CREDENTIAL_MANAGER_`', '`manage.mjs`', '`ql3_worker_credential_manager`'],
  ['`QL3_POSTGRES_WORKER_CREDENTIAL_EXECUTOR_`', '`executor.mjs`, `recovery.mjs`', '`ql3_worker_credential_executor`'],
  ['`QL3_POSTGRES_MIGRATION_`', '`database.mjs migrate`, `bind`, `unbind`', '`ql3_migration`'],
  ['`QL3_POSTGRES_SUPERUSER_`', '`database.mjs roles`', 'the server’s superuser'],
];

export function environmentPage(): string {
  return [
    '# Environment variables',
    GENERATED_NOTE,
    '## Commands of this repository',
    table(['variable', 'meaning'], Object.entries(ENVIRONMENT)),
    '## Worker',
    'Every program of the images prints its own part of this page with `--help`, as in `docker run --rm IMAGE PROGRAM --help`, and reports everything that is wrong at once, before it opens anything.',
    ...settings('### worker.mjs', WORKER_SETTINGS),
    ...settings('### init.mjs', INIT_SETTINGS),
    ...settings('### actor.mjs', ACTOR_SETTINGS),
    '## Control',
    'An unknown variable under one of its two prefixes is refused. Files are absolute paths of regular files; keys, pepper, password and URL must not be writable by group or others.',
    ...variables('### control.mjs', 'QL3_CLUSTER_CONTROL_', CONTROL_VARIABLES),
    '## Administration',
    'Files with secrets must not be readable by others. The group may read them, as Kubernetes shares Secrets by group.',
    ...variables('### manage.mjs', 'QL3_WORKER_CREDENTIAL_MANAGER_', MANAGER_VARIABLES),
    ...variables('### executor.mjs, recovery.mjs, target.mjs', 'QL3_WORKER_CREDENTIAL_EXECUTOR_', EXECUTOR_VARIABLES),
    ...variables('### database.mjs', 'QL3_DATABASE_SETUP_', SETUP_VARIABLES),
    '## Databases',
    'Each program has a prefix of its own, and below it the same names.',
    table(['prefix', 'program', 'connects as'], DATABASE_PREFIXES),
    table(['name', 'meaning', 'default'], DATABASE_VARIABLES.map(toCells)),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

function settings(heading: string, rows: Settings): string[] {
  const lines = Object.entries(rows).map(([name, { meaning, expected, fallback }]) => [`\`${name}\``, meaning, expected, fallback === undefined ? 'required' : fallback.text]);
  return [heading, table(['variable', 'meaning', 'expects', 'default'], lines)];
}

function variables(heading: string, prefix: string, rows: readonly VariableRow[]): string[] {
  return [heading, table([`\`${prefix}\` + name`, 'meaning', 'default'], rows.map(toCells))];
}

function toCells({ name, meaning, need }: VariableRow): string[] {
  return [`\`${name}\``, meaning, need];
}
