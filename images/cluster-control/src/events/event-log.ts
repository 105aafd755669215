export type EventLevel = 'info' | 'warn' | 'error';
export type EventFields = Readonly<Record<string, unknown>>;

/** Writes what happened as JSON lines; a line never carries a token, a key, a certificate or a request body. */
export interface EventLog {
  info(event: string, fields?: EventFields): void;
  warn(event: string, fields?: EventFields): void;
  error(event: string, fields?: EventFields): void;
}

export function createEventLog(write: (line: string) => void, now: () => Date = () => new Date()): EventLog {
  const log = (level: EventLevel, event: string, fields: EventFields = {}): void => {
    write(`${JSON.stringify({ ...head(level, event, now()), ...fields })}\n`);
  };
  return {
    info: (event, fields) => log('info', event, fields),
    warn: (event, fields) => log('warn', event, fields),
    error: (event, fields) => log('error', event, fields),
  };
}

function head(level: EventLevel, event: string, at: Date): EventFields {
  return { schemaVersion: 1, component: 'qinglong3-cluster-control', level, event, at: at.toISOString() };
}
