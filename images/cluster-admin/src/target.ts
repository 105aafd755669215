import { EXECUTOR_PREFIX, readTargets } from './command-line/authority-environment.ts';
import { EnvironmentReader } from './command-line/environment.ts';
import { runCommand } from './command-line/run-command.ts';
import { EXECUTOR_VARIABLES } from './command-line/variables.ts';
import { UsageError } from './command-line/usage-error.ts';
import { resolveDeliveryTarget } from './delivery/delivery-target.ts';

const SUMMARY = `Usage: target

Prints the digest of the delivery target, which a plan names, from the environment that the executor will be given. Opens nothing.
One JSON line. Exit 0 done, 64 usage.`;
const NOT_READ = ['ENABLED', 'COMMAND_FILE', 'PEPPER_FILE', 'SERVICE_ACCOUNT_ROOT'];

/** The digest that a plan names as its target, from the environment that the executor will be given. Reads nothing else. */
await runCommand({
  component: 'qinglong3-worker-credential-target',
  subject: 'target_resolution',
  help: { summary: SUMMARY, variables: [{ prefix: EXECUTOR_PREFIX, rows: EXECUTOR_VARIABLES.filter(({ name }) => !NOT_READ.includes(name)) }], needs: ['Nothing else: no file, no cluster, no database.'] },
  run() {
    if (process.argv.length > 2) throw new UsageError(['expected no arguments: the target is named by the environment']);
    const reader = new EnvironmentReader(process.env, EXECUTOR_PREFIX, EXECUTOR_VARIABLES);
    const { serviceAccountName: _account, identitySecretName: _identity, ...target } = readTargets(reader);
    reader.finish();
    const { digest, digestLabel, ...resolved } = resolveDeliveryTarget(target);
    return Promise.resolve({ ...resolved, deploymentTargetDigest: digest, digestLabel });
  },
});
