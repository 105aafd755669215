import { isDeepStrictEqual } from 'node:util';
import { AUTHORITY_NEEDS, AUTHORITY_VARIABLES } from './command-line/program-needs.ts';
import { runCommand } from './command-line/run-command.ts';
import { UsageError } from './command-line/usage-error.ts';
import { executeCredentialAction } from './execution/execute-credential-action.ts';
import { ExecutionError } from './execution/execution-error.ts';
import { readCommandFile, readExecutorConfiguration } from './execution/executor-configuration.ts';

const SUMMARY = `Usage: executor

Executes the one approved action of the command file: issues the credential and delivers it to its Worker. The same command once
more answers that it was done. One JSON line: stdout when it succeeded, stderr when it failed. Exit 0 done, 1 failed, 64 usage.`;

/** The process of an executor Job: one command file, one action, one line. */
await runCommand({
  component: 'qinglong3-worker-credential-executor',
  subject: 'execution',
  help: { summary: SUMMARY, variables: AUTHORITY_VARIABLES, needs: AUTHORITY_NEEDS },
  async run(signal) {
    if (process.argv.length > 2) throw new UsageError(['expected no arguments: the executor is configured by its environment']);
    const { commandFile, command, pepper, ...authority } = readExecutorConfiguration(process.env);
    try {
      const outcome = await executeCredentialAction({
        ...authority,
        command,
        pepper,
        signal,
        // The caller stands by its command as long as it leaves the file as it was.
        async confirmAuthorization() {
          if (signal.aborted) throw new ExecutionError('authorization_withdrawn', 'the executor was told to stop', signal.reason);
          if (isDeepStrictEqual(readCommandFile(commandFile), command)) return;
          throw new ExecutionError('authorization_withdrawn', `${commandFile} holds another command than at the start`);
        },
      });
      const { actionRef, dispatchId, executionStatus, deliveryStatus, tokenRequestUsed } = outcome;
      return { actionRef, dispatchId, executionStatus, deliveryStatus, tokenRequestUsed };
    } finally {
      pepper.fill(0);
    }
  },
});
