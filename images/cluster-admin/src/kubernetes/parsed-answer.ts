import { KubernetesApiError } from './api-error.ts';

/** Parses an answer at the edge, naming the call whose answer was malformed. */
export function parseAnswer<T>(operation: string, parse: (value: unknown) => T, answer: unknown): T {
  try {
    return parse(answer);
  } catch (error) {
    throw new KubernetesApiError({ code: 'invalid_response', operation, detail: (error as Error).message, cause: error });
  }
}
