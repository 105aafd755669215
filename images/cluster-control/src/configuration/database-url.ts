export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/**
 * Reads `postgresql://USER:PASSWORD@HOST[:PORT]/DATABASE`; null when it is anything else. Parameters such as sslmode are
 * refused, because they could weaken what the TLS variables say.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress | null {
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol) || url.search !== '' || url.hash !== '') return null;
  const database = decode(url.pathname.slice(1));
  const user = decode(url.username);
  const password = decode(url.password);
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  if (!database || !user || !password || host === '' || database.includes('/')) return null;
  return { host, port: url.port === '' ? 5432 : Number(url.port), database, user, password };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
