import { IsomorphicFetchHttpLibrary, type HttpLibrary, type RequestContext, type ResponseContext, wrapHttpLibrary } from '@kubernetes/client-node';
import { delayBeforeRetryMs, pause, REQUEST_TIMEOUT_MS } from './patience.ts';

/** What the typed clients send with: every attempt has a deadline and ends with the run, and what may be repeated is, a bounded number of times. */
export function patientHttp(signal?: AbortSignal): HttpLibrary {
  const library = new IsomorphicFetchHttpLibrary();
  return wrapHttpLibrary({
    send: async (request: RequestContext): Promise<ResponseContext> => {
      const method = request.getHttpMethod();
      for (let attempt = 1; ; attempt += 1) {
        signal?.throwIfAborted();
        const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
        request.setSignal(signal === undefined ? deadline : AbortSignal.any([deadline, signal]));
        let answer: ResponseContext | null = null;
        let failure: unknown;
        try {
          answer = await library.send(request).toPromise();
        } catch (error) {
          signal?.throwIfAborted();
          failure = error;
        }
        const delayMs = delayBeforeRetryMs({ method, status: answer?.httpStatusCode ?? null, retryAfter: answer?.headers['retry-after'], failure, attempt });
        if (delayMs === null) {
          if (answer === null) throw failure;
          return answer;
        }
        await answer?.body.text();
        await pause(delayMs, signal);
      }
    },
  });
}
