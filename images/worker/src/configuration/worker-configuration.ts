import { configurationInvalid } from './read-settings.ts';
import { readSetting, type Setting, type SettingProblem } from './setting.ts';
import { DEFAULT_CADENCE_MS, PREFIX, WORKER_SETTINGS, type CapacityProfile, type WorkerSettingName } from './worker-settings.ts';

export interface WorkerConfiguration {
  readonly workerId: string;
  readonly controlOrigin: string;
  readonly capacityProfile: CapacityProfile;
  readonly capabilitiesFile: string;
  readonly journalRoot: string;
  readonly logRoot: string;
  readonly receiptRoot: string;
  readonly certificateStoreRoot: string;
  readonly trustAnchorFile: string;
  readonly credentialTokenFile: string;
  readonly bootstrap: { readonly certificateFile: string; readonly privateKeyFile: string } | null;
  readonly cadenceMs: number;
  readonly heartbeatIntervalMs: number;
  readonly sessionLeaseDurationMs: number;
  readonly drainTimeoutMs: number;
  readonly drainPollMs: number;
  readonly requestTimeoutMs: number;
  readonly podUid: string | null;
}

type SettingValues = { -readonly [N in WorkerSettingName]: (typeof WORKER_SETTINGS)[N] extends Setting<infer T> ? T : never };

/** Reads the environment alone, no file. All problems are found before one error, WORKER_CONFIGURATION_INVALID, tells them. */
export function parseWorkerConfiguration(environment: NodeJS.ProcessEnv): WorkerConfiguration {
  const problems: SettingProblem[] = [];
  const values: Partial<SettingValues> = {};
  for (const name of Object.keys(WORKER_SETTINGS) as WorkerSettingName[]) {
    const value = readSetting<unknown>(environment, name, WORKER_SETTINGS[name], problems);
    Object.assign(values, { [name]: value });
  }
  problems.push(...unknownNames(environment), ...contradictions(values));
  if (problems.length > 0) throw configurationInvalid(problems);
  return toConfiguration(values as SettingValues);
}

function toConfiguration(values: SettingValues): WorkerConfiguration {
  const certificateFile = values.QL3_WORKER_IDENTITY_BOOTSTRAP_CERTIFICATE_FILE;
  const privateKeyFile = values.QL3_WORKER_IDENTITY_BOOTSTRAP_PRIVATE_KEY_FILE;
  return {
    workerId: values.QL3_WORKER_ID,
    controlOrigin: values.QL3_WORKER_CONTROL_ORIGIN,
    capacityProfile: values.QL3_WORKER_CAPACITY_PROFILE,
    capabilitiesFile: values.QL3_WORKER_CAPABILITIES_FILE,
    journalRoot: values.QL3_WORKER_JOURNAL_ROOT,
    logRoot: values.QL3_WORKER_LOG_ROOT,
    receiptRoot: values.QL3_WORKER_RECEIPT_ROOT,
    certificateStoreRoot: values.QL3_WORKER_CERTIFICATE_STORE_ROOT,
    trustAnchorFile: values.QL3_WORKER_TRUST_ANCHOR_FILE,
    credentialTokenFile: values.QL3_WORKER_CREDENTIAL_TOKEN_FILE,
    bootstrap: certificateFile === null || privateKeyFile === null ? null : { certificateFile, privateKeyFile },
    cadenceMs: cadenceOf(values) ?? DEFAULT_CADENCE_MS.edge,
    heartbeatIntervalMs: values.QL3_WORKER_HEARTBEAT_INTERVAL_MS,
    sessionLeaseDurationMs: values.QL3_WORKER_SESSION_LEASE_DURATION_MS,
    drainTimeoutMs: values.QL3_WORKER_DRAIN_TIMEOUT_MS,
    drainPollMs: values.QL3_WORKER_DRAIN_POLL_MS,
    requestTimeoutMs: values.QL3_WORKER_REQUEST_TIMEOUT_MS,
    podUid: values.QL3_WORKER_POD_UID,
  };
}

function cadenceOf(values: Partial<SettingValues>): number | undefined {
  const profile = values.QL3_WORKER_CAPACITY_PROFILE;
  return values.QL3_WORKER_CADENCE_MS ?? (profile === undefined ? undefined : DEFAULT_CADENCE_MS[profile]);
}

function contradictions(values: Partial<SettingValues>): SettingProblem[] {
  return [...leaseTooShort(values), ...halfAnIdentity(values), ...sharedFolders(values)];
}

// A heartbeat leaves with the first look at what is due after its interval, so the interval counts rounded up to the cadence.
function leaseTooShort(values: Partial<SettingValues>): SettingProblem[] {
  const cadenceMs = cadenceOf(values);
  const intervalMs = values.QL3_WORKER_HEARTBEAT_INTERVAL_MS;
  const leaseMs = values.QL3_WORKER_SESSION_LEASE_DURATION_MS;
  if (cadenceMs === undefined || intervalMs === undefined || leaseMs === undefined) return [];
  const effectiveMs = Math.ceil(intervalMs / cadenceMs) * cadenceMs;
  if (2 * effectiveMs <= leaseMs) return [];
  const expected = `at least two heartbeat intervals, rounded up to the cadence: 2 × ${effectiveMs}`;
  return [{ name: 'QL3_WORKER_SESSION_LEASE_DURATION_MS', expected, got: String(leaseMs) }];
}

function halfAnIdentity(values: Partial<SettingValues>): SettingProblem[] {
  const names = ['QL3_WORKER_IDENTITY_BOOTSTRAP_CERTIFICATE_FILE', 'QL3_WORKER_IDENTITY_BOOTSTRAP_PRIVATE_KEY_FILE'] as const;
  const absent = names.filter((name) => values[name] === null);
  return absent.length === 1 ? absent.map((name) => ({ name, expected: 'both bootstrap files or neither', got: 'only the other one' })) : [];
}

function sharedFolders(values: Partial<SettingValues>): SettingProblem[] {
  const names = ['QL3_WORKER_JOURNAL_ROOT', 'QL3_WORKER_LOG_ROOT', 'QL3_WORKER_RECEIPT_ROOT', 'QL3_WORKER_CERTIFICATE_STORE_ROOT'] as const;
  return names
    .filter((name, index) => values[name] !== undefined && names.slice(0, index).some((earlier) => values[earlier] === values[name]))
    .map((name) => ({ name, expected: 'a folder of its own', got: 'the folder of another setting' }));
}

/** Kubernetes injects `<SERVICE>_PORT_…` for every Service of the namespace, and ours is called ql3-worker-ingress. */
const SERVICE_LINK = /^[A-Z0-9_]+_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

function unknownNames(environment: NodeJS.ProcessEnv): SettingProblem[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !Object.hasOwn(WORKER_SETTINGS, name) && !SERVICE_LINK.test(name))
    .map((name) => ({ name, expected: 'no such variable', got: 'a value; check its spelling' }));
}
