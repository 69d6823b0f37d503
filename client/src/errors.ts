// What can go wrong with a call, as types: the service refused (`TintypeError`), or nobody answered (`ConnectionError`).
import type { ErrorCode } from './api.ts';

export type RefusalFacts = {
  readonly status: number;
  readonly code: ErrorCode | 'unknown';
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
};

/** The service answered, and not with what was asked for. The message is a sentence a person can act on. */
export class TintypeError extends Error implements RefusalFacts {
  override readonly name = 'TintypeError';
  readonly status: number;
  /** Stable; `unknown` when something between here and the service answered. */
  readonly code: ErrorCode | 'unknown';
  /** Finds the request in the service's log. */
  readonly requestId: string | null;
  /** When it makes sense to try again, if the service said so. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, { status, code, requestId, retryAfterSeconds }: RefusalFacts) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No answer came: the service cannot be reached, or the line broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** `isRefusal(error, 'object_id_in_use')`; without codes, any refusal. */
export function isRefusal(error: unknown, ...codes: ErrorCode[]): error is TintypeError {
  return error instanceof TintypeError && (codes.length === 0 || codes.some((code) => code === error.code));
}

type HeaderReader = { get(name: string): string | null };

/** Whatever a proxy in between may have made of the body. */
export function refusal(status: number, headers: HeaderReader, body: string): TintypeError {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new TintypeError(sentenceOf(body) ?? `The service answered ${status}`, {
    status,
    code: (headers.get('x-error-code') as ErrorCode | null) ?? 'unknown',
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

function sentenceOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
