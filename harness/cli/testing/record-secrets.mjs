/**
 * Preloaded into the processes of a run under test: writes down what they draw at random that is long enough to be a secret, so that
 * it can be looked for afterwards. The file is named in this module's own URL: `record-secrets.mjs?to=/private/file`.
 */
import crypto from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const SHORTEST_SECRET_BYTES = 24;
const file = new URL(import.meta.url).searchParams.get('to');
const draw = crypto.randomBytes;

crypto.randomBytes = (size, callback) => {
  if (callback !== undefined) return draw(size, callback);
  const drawn = draw(size);
  if (size >= SHORTEST_SECRET_BYTES) appendFileSync(file, `${drawn.toString('hex')}\n`, { mode: 0o600 });
  return drawn;
};
syncBuiltinESMExports();
