import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { tokenDigest } from '../../../core/credential-token.ts';
import { readGuardedFile } from '../files/guarded-file.ts';
import { readCredentialToken } from '../identity/credential-token-file.ts';
import { appendRolloutLine, readRolloutLines, rolloutJournalPath } from './rollout-journal.ts';

export interface ActorRoots {
  readonly state: string;
  readonly authority: string;
}

/** `start <podUid> <token digest> <ca digest>`, both SHA-256 in hex: what this Pod was given, without revealing it. */
export async function startRecord(podUid: string, authorityRoot: string): Promise<string> {
  const anchor = await readGuardedFile(join(authorityRoot, 'ca.crt'), { what: 'the trust anchor', maxBytes: 1_048_576, forbiddenMode: 0o022 });
  const token = await readCredentialToken(join(authorityRoot, 'credential-token'));
  try {
    // The domain separated digest of the delivery ledger, not a plain SHA-256: the record can then be compared with what
    // the ledger says was delivered, and is of no use with any other hash of the token.
    return `start ${podUid} ${tokenDigest(token)} ${createHash('sha256').update(anchor).digest('hex')}`;
  } finally {
    token.fill(0);
  }
}

/** Shows what the volume already holds, then adds this Pod's own line. */
export async function beginActor(podUid: string, roots: ActorRoots, print: (event: string, fields: object) => void): Promise<void> {
  const path = rolloutJournalPath(roots.state);
  print('journal_inherited', { podUid, lines: await readRolloutLines(path) });
  const record = await startRecord(podUid, roots.authority);
  await appendRolloutLine(path, record);
  print('started', { podUid, record });
}

export async function endActor(podUid: string, stateRoot: string): Promise<void> {
  await appendRolloutLine(rolloutJournalPath(stateRoot), `stop ${podUid}`);
}
