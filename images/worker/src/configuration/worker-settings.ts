import { isWorkerId } from '../../../core/identifiers.ts';
import { milliseconds, oneOf, optional, path, text, type Setting } from './setting.ts';

export type CapacityProfile = 'edge' | 'node';

export const PREFIX = 'QL3_WORKER_';

/** Without an own value the cadence follows the capacity profile. */
export const DEFAULT_CADENCE_MS: Readonly<Record<CapacityProfile, number>> = { edge: 2_000, node: 500 };

const cadence: Setting<number | null> = {
  ...milliseconds('How often the Worker looks at what is due', 100, 60_000, 0),
  fallback: { value: null, text: 'edge 2000, node 500' },
};

/** Everything that the Worker reads from its environment; the help text and the README's table come from here. */
export const WORKER_SETTINGS = {
  QL_DEPLOYMENT_PROFILE: oneOf('Says that this deployment is a Worker', 'worker'),
  QL3_WORKER_RUNTIME_ENABLED: oneOf('Switches the runtime on', 'true'),
  QL3_WORKER_ID: text('Names the Worker; its credential and its volume belong to this id', 'a letter or digit, then up to 127 of A-Z a-z 0-9 . _ : -', isWorkerId),
  QL3_WORKER_CONTROL_ORIGIN: text('The worker ingress of the Cluster Control', 'an https origin such as https://host:5801', isHttpsOrigin),
  QL3_WORKER_CAPACITY_PROFILE: oneOf<CapacityProfile>('How much the Worker takes on', 'edge', 'node'),
  QL3_WORKER_CAPABILITIES_FILE: path('A JSON object that says what the Worker can do, at most 16384 bytes'),
  QL3_WORKER_JOURNAL_ROOT: path('Folder on the volume for the session journal and the ownership lock'),
  QL3_WORKER_LOG_ROOT: path('Folder on the volume for logs of runs'),
  QL3_WORKER_RECEIPT_ROOT: path('Folder on the volume for receipts of runs'),
  QL3_WORKER_CERTIFICATE_STORE_ROOT: path('Folder on the volume for the client identities, one generation each'),
  QL3_WORKER_TRUST_ANCHOR_FILE: path('PEM certificates that the Control must chain to'),
  QL3_WORKER_CREDENTIAL_TOKEN_FILE: path('The credential token, in a folder of mode 0700, itself without group and other bits'),
  QL3_WORKER_IDENTITY_BOOTSTRAP_PRIVATE_KEY_FILE: optional(path('PEM key of the client identity to install'), 'the stored identity'),
  QL3_WORKER_IDENTITY_BOOTSTRAP_CERTIFICATE_FILE: optional(path('PEM certificate of the client identity to install'), 'the stored identity'),
  QL3_WORKER_CADENCE_MS: cadence,
  QL3_WORKER_HEARTBEAT_INTERVAL_MS: milliseconds('Time between two heartbeats', 5_000, 300_000, 10_000),
  QL3_WORKER_SESSION_LEASE_DURATION_MS: milliseconds('How long a session lives without a heartbeat; two intervals must fit', 15_000, 600_000, 45_000),
  QL3_WORKER_DRAIN_TIMEOUT_MS: milliseconds('How long one attempt to settle may take before it is deferred', 100, 330_000, 30_000),
  QL3_WORKER_DRAIN_POLL_MS: milliseconds('How often settling is looked at, and the first delay before a deferred step is tried again', 10, 10_000, 100),
  QL3_WORKER_REQUEST_TIMEOUT_MS: milliseconds('How long one request may take', 100, 120_000, 15_000),
  QL3_WORKER_POD_UID: optional(text('UID of the Pod, from the downward API; names the owner of the lock', 'up to 64 of A-Z a-z 0-9 -', (value) => /^[A-Za-z0-9-]{1,64}$/.test(value)), 'none'),
} as const;

export type WorkerSettingName = keyof typeof WORKER_SETTINGS;

function isHttpsOrigin(value: string): boolean {
  if (value.length > 2_048 || !URL.canParse(value)) return false;
  const url = new URL(value);
  return url.protocol === 'https:' && (value === url.origin || value === `https://${url.hostname}:443`);
}
