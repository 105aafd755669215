import { ControlError, type Problem } from '../control-error.ts';
import { loadTrustMaterial, type TrustFiles, type TrustMaterial } from '../trust/trust-material.ts';
import { type ControlSettings, readControlSettings } from './control-configuration.ts';
import { type DatabaseConfiguration, readDatabaseConfiguration } from './database-configuration.ts';
import type { Environment } from './environment-reader.ts';
import { readPepper } from './pepper.ts';

export interface ControlConfiguration {
  readonly settings: ControlSettings;
  readonly material: TrustMaterial;
  readonly pepper: Buffer;
  readonly database: DatabaseConfiguration;
}

/** Reads variables and the files they name; throws one ControlError with everything that is wrong in any of them. */
export async function loadControlConfiguration(environment: Environment): Promise<ControlConfiguration> {
  const problems: Problem[] = [];
  const { settings, problems: settingProblems } = readControlSettings(environment);
  const { database, problems: databaseProblems } = await readDatabaseConfiguration(environment);
  problems.push(...settingProblems, ...databaseProblems);
  const material = await loadMaterial(settings.trustFiles, problems);
  const pepper = await loadPepper(settings.pepperFile, problems);
  if (problems.length > 0 || material === null || pepper === null) {
    throw new ControlError('QL3_CLUSTER_CONTROL_CONFIGURATION_INVALID', problems);
  }
  return { settings, material, pepper, database };
}

/** Files whose variable was refused are not looked at: their problem is known already. */
async function loadMaterial(files: TrustFiles, problems: Problem[]): Promise<TrustMaterial | null> {
  const named = [files.certificate, files.privateKey, files.clientAuthorities, files.clientRevocations ?? '/'];
  if (named.some((file) => !file.startsWith('/'))) return null;
  try {
    return await loadTrustMaterial(files);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

async function loadPepper(file: string, problems: Problem[]): Promise<Buffer | null> {
  if (!file.startsWith('/')) return null;
  const reading = await readPepper(file);
  if ('pepper' in reading) return reading.pepper;
  problems.push(reading.problem);
  return null;
}
