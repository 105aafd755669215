import { parsePepper } from '../../../core/credential-token.ts';
import { MAXIMUM_COMMAND_BYTES, parseExecutionCommand, type ExecutionCommand } from '../../../core/execution.ts';
import {
  EXECUTOR_PREFIX,
  readAuthority,
  type AuthorityConfiguration,
  type Environment,
} from '../command-line/authority-environment.ts';
import { EnvironmentReader } from '../command-line/environment.ts';
import { PUBLIC_FILE, readGuardedFile, SECRET_FILE } from '../command-line/guarded-file.ts';
import { EXECUTOR_VARIABLES } from '../command-line/variables.ts';

export interface ExecutorConfiguration extends AuthorityConfiguration {
  readonly commandFile: string;
  readonly command: ExecutionCommand;
  /** To be zeroed by whoever reads the configuration. */
  readonly pepper: Buffer;
}

export function readExecutorConfiguration(environment: Environment): ExecutorConfiguration {
  const reader = new EnvironmentReader(environment, EXECUTOR_PREFIX, EXECUTOR_VARIABLES);
  const authority = readAuthority(environment, reader);
  const commandFile = reader.path('COMMAND_FILE');
  const command = attempt(reader, 'COMMAND_FILE', commandFile, readCommandFile);
  const pepperFile = reader.path('PEPPER_FILE');
  const pepper = attempt(reader, 'PEPPER_FILE', pepperFile, readPepperFile);
  reader.finish();
  return { ...authority(), commandFile, command: command!, pepper: pepper! };
}

export function readCommandFile(path: string): ExecutionCommand {
  return parseExecutionCommand(readGuardedFile(path, { maxBytes: MAXIMUM_COMMAND_BYTES, forbiddenMode: PUBLIC_FILE }));
}

function readPepperFile(path: string): Buffer {
  const text = readGuardedFile(path, { maxBytes: 64, forbiddenMode: SECRET_FILE });
  try {
    return parsePepper(text.toString('latin1'));
  } finally {
    text.fill(0);
  }
}

function attempt<T>(reader: EnvironmentReader, name: string, path: string, read: (path: string) => T): T | null {
  if (path === '') return null;
  try {
    return read(path);
  } catch (error) {
    reader.reject(name, (error as Error).message);
    return null;
  }
}
