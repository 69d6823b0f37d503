// What PostgreSQL and the line to it report, in the words the rest of the service knows.
import { AppError, retryAfter } from '../../errors.ts';

/** Lost to another transaction, not for a reason of its own: run again, it may well succeed. */
const lostToAnother = new Set(['40001', '40P01']);
/** Shutting down, starting, no more connections; class 08 is the line itself. */
const awayCodes = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006']);
/** The server has ended the session: told to, crashed, or tired of waiting for us. */
const endedCodes = new Set(['57P01', '57P02', '57P05', '25P03']);
const lineCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Gave up waiting for a lock, or took longer than a statement may. */
const tooLongCodes = new Set(['55P03', '57014']);
const noRoomCodes = new Set(['53100', '53200']);
/** Texts that hold NUL, or are no text at all. */
const notTextCodes = new Set(['22021', '22P05']);

const retryAfterSeconds = 1;

export function isLostToAnother(error: unknown): boolean {
  return lostToAnother.has(codeOf(error));
}

export function databaseAway(cause?: unknown): AppError {
  return new AppError('database_unavailable', undefined, { ...retryAfter(retryAfterSeconds), cause });
}

export function toAppError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (awayCodes.has(code) || code.startsWith('08') || isBrokenLine(error)) return databaseAway(error);
  if (tooLongCodes.has(code) || isLostToAnother(error) || waitedInVain(error))
    return new AppError('overloaded', undefined, { ...retryAfter(retryAfterSeconds), cause: error });
  if (noRoomCodes.has(code)) return new AppError('disk_full', undefined, { cause: error });
  if (notTextCodes.has(code))
    return new AppError('bad_request', 'Text must not hold the character NUL', { cause: error });
  return error;
}

/** All sessions were busy for longer than anybody should wait. */
function waitedInVain(error: unknown): boolean {
  return error instanceof Error && error.message.includes('exceeded when trying to connect');
}

/** The session is of no further use. */
export function isBrokenLine(error: unknown): boolean {
  return isCutLine(error) || (error instanceof Error && /read timeout/i.test(error.message));
}

/** It ended in the middle, for no fault of what ran in it: another session may do. */
export function isCutLine(error: unknown): boolean {
  const code = codeOf(error);
  if (lineCodes.has(code) || endedCodes.has(code)) return true;
  return error instanceof Error && /terminated|not queryable|connection error/i.test(error.message);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
