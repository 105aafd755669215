import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4_096;

/**
 * What PostgreSQL stores for a SCRAM-SHA-256 password (RFC 5803; PostgreSQL manual, pg_authid). Given to ALTER ROLE
 * instead of the password, so that the password itself never reaches the server, its log or pg_stat_activity.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  // Beyond ASCII the password would need SASLprep, and this function would silently make another one.
  if (!/^[\x20-\x7e]{1,256}$/u.test(password)) {
    throw new RangeError('a database password must be 1 to 256 printable ASCII characters');
  }
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
