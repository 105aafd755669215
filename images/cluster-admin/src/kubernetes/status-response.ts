import { KubernetesApiError } from './api-error.ts';

/** Statuses whose message names identities and objects only; others (422 above all) may quote a value. */
const STATUSES_WITH_SAFE_MESSAGE = new Set([401, 403, 404, 409, 429]);

/** Turns an error answer into an error, with what the API server said as far as it cannot hold a secret. */
export function toStatusError(operation: string, status: number, body: string): KubernetesApiError {
  const parsed = parseStatus(body);
  const said = STATUSES_WITH_SAFE_MESSAGE.has(status) ? parsed.message : parsed.fields;
  return new KubernetesApiError({
    code: 'status',
    operation,
    status,
    ...(parsed.reason === null ? {} : { reason: parsed.reason }),
    detail: `${status} ${parsed.reason ?? 'without a reason'}${said === '' ? '' : ` (${said})`}`,
  });
}

function parseStatus(body: string): { reason: string | null; message: string; fields: string } {
  let status: unknown;
  try {
    status = JSON.parse(body);
  } catch {
    status = null;
  }
  if (typeof status !== 'object' || status === null) return { reason: null, message: '', fields: '' };
  const { reason, message, details } = status as Record<string, unknown>;
  return {
    reason: typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : null,
    message: typeof message === 'string' ? printable(message) : '',
    fields: fieldsOf(details),
  };
}

function fieldsOf(details: unknown): string {
  const causes = (details as { causes?: unknown } | null | undefined)?.causes;
  if (!Array.isArray(causes)) return '';
  return causes
    .slice(0, 8)
    .map((cause: unknown) => (cause as { field?: unknown } | null)?.field)
    .filter((field) => typeof field === 'string')
    .map((field) => printable(field))
    .join(', ');
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}
