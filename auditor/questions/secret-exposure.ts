import { isObject } from '../../evidence/shape.ts';
import { secretIn } from '../../evidence/secret-patterns.ts';

const BANNED_KEYS: ReadonlySet<string> = new Set(['assertion', 'authorization', 'bearer', 'certificate', 'clientkey', 'connectionstring', 'dsn', 'kubeconfig', 'password', 'privatekey', 'secret', 'tlskey', 'token']);
const PEM = /-----BEGIN [A-Z0-9 ]+-----/;
/** 32 bytes in canonical base64url. A name of the report can be as long, but none of them holds a digit. */
const PEPPER = /(?<![A-Za-z0-9_-])(?=[A-Za-z_-]*\d)(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048](?![A-Za-z0-9_-])/;

/** Is there anything in the report that opens a door? Asked of every key and every string, whatever the report's shape. */
export function secretExposure(value: unknown, path = '$'): string[] {
  if (typeof value === 'string') return exposedIn(value, path);
  if (Array.isArray(value)) return value.flatMap((item, index) => secretExposure(item, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const exposed = exposedIn(key, `a key of ${path}`);
    const banned = BANNED_KEYS.has(key.toLowerCase().replace(/[^a-z]/g, '')) ? [`${path}: a key is called ${key.toLowerCase().slice(0, 32)}`] : [];
    return [...banned, ...exposed, ...secretExposure(item, exposed.length > 0 ? `${path}.…` : `${path}.${key.slice(0, 64)}`)];
  });
}

function exposedIn(text: string, path: string): string[] {
  const kind = secretIn(text) ?? (PEM.test(text) ? 'a PEM block' : null) ?? (PEPPER.test(text) ? 'what looks like a pepper or key of 32 bytes' : null);
  return kind === null ? [] : [`${path}: holds ${kind}`];
}
