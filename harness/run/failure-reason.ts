import { showable } from '../progress/showable.ts';

const LONGEST = 300;

/** Why something could not be had, in one short line: of an answer of the API server its status and message, not headers and bodies. */
export function reasonOf(error: unknown): string {
  if (isApiAnswer(error)) return short(`the API server answered ${error.code}${messageIn(error.body)}`);
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return short(cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message);
}

/** By its shape: the client's own class would be loaded for this alone, in a run that may never have come as far as a cluster. */
export function isApiAnswer(error: unknown): error is Error & { readonly code: number; readonly body: unknown } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'body' in error;
}

function messageIn(body: unknown): string {
  try {
    const { message } = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: unknown };
    return typeof message === 'string' ? `: ${message}` : '';
  } catch {
    return '';
  }
}

function short(text: string): string {
  const line = showable(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
