// How long a server asks us to stay away. Three spellings are in use: whole seconds, a date, and OpenAI's own milliseconds.
import type { IncomingHttpHeaders } from 'node:http';

const maxWaitMs = 60 * 60_000;

/** Null when it says nothing that can be understood; never more than an hour, so that a mistake of theirs heals. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const waitMs = millisecondsIn(headers['retry-after-ms']) ?? waitIn(headers['retry-after'], nowMs);
  return waitMs === null ? null : Math.min(Math.max(Math.ceil(waitMs), 0), maxWaitMs);
}

function millisecondsIn(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && isNumber(header) ? Number(header) : null;
}

function waitIn(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (isNumber(header)) return Number(header) * 1000;
  // The parser of dates would also make one of "-5" or "soon 7".
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : date - nowMs;
}

function isNumber(header: string): boolean {
  return /^\d{1,12}(\.\d{1,12})?$/.test(header.trim());
}
