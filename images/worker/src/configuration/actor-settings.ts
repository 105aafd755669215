import { path, text } from './setting.ts';

const podUid = text('UID of the Pod, from the downward API', 'up to 64 of A-Z a-z 0-9 -', (value) => /^[A-Za-z0-9-]{1,64}$/.test(value));

export const ACTOR_SETTINGS = {
  QL3_ACTOR_STATE_ROOT: path('The persistent volume; the record goes to journal/rollout.log'),
  QL3_ACTOR_AUTHORITY_ROOT: path('The private folder that holds ca.crt and credential-token (run only)'),
  QL3_ACTOR_POD_UID: podUid,
} as const;
