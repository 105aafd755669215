export interface ToldError {
  readonly code: string | null;
  readonly message: string;
}

/** An error and its causes, outermost first. A cause that says only what was said already is not told again. */
export function tellError(error: unknown): readonly ToldError[] {
  const told: ToldError[] = [];
  const seen = new Set<unknown>();
  for (let current: unknown = error; current !== undefined && current !== null && !seen.has(current); current = current instanceof Error ? current.cause : undefined) {
    seen.add(current);
    const { code } = current as { code?: unknown };
    const message = messageOf(current);
    if (told.some((earlier) => earlier.message.includes(message))) continue;
    told.push({ code: typeof code === 'string' ? code : null, message });
  }
  return told;
}

/** The message of an error and of each of its causes, one a line; what is no Error is told by its message or its JSON. */
export function describeError(error: unknown): string {
  return tellError(error)
    .map(({ code, message }, index) => `${index === 0 ? '' : 'because: '}${prefixOf({ code, message })}${message}`)
    .join('\n');
}

/** A system error's message begins with its code. */
export function prefixOf({ code, message }: ToldError): string {
  return code === null || message.startsWith(`${code}: `) ? '' : `${code}: `;
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown instanceof AggregateError && thrown.message === '' ? thrown.errors.map(messageOf).join('; ') : thrown.message;
  const message = (thrown as { message?: unknown }).message;
  return typeof message === 'string' ? message : (JSON.stringify(thrown) ?? typeof thrown);
}
