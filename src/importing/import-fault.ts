// What a fault means for an import: this one is no picture, this one failed, or all others would fail alike.
import { ConnectionError, TintypeError } from '../../client/src/index.ts';
import { AppError, type ErrorCode } from '../platform/errors.ts';

type Code = ErrorCode | 'unknown';

const noPicture: ReadonlySet<Code> = new Set(['unsupported_type', 'file_empty']);
/** What every further one would meet too. */
const stopping: ReadonlySet<Code> = new Set([
  'storage_limit_exceeded',
  'disk_full',
  'account_not_found',
  'account_disabled',
  'invalid_api_key',
  'scope_too_small',
]);

/** Ends the whole import, with the reason as its message. */
export class ImportStopped extends Error {}

/** Throws when nothing further makes sense. */
export function judge(error: unknown): { kind: 'skipped' | 'failed'; reason: string } {
  if (error instanceof ImportStopped) throw error;
  if (error instanceof ConnectionError) throw new ImportStopped(error.message, { cause: error });
  const { message } = error as Error;
  if (!(error instanceof AppError || error instanceof TintypeError))
    return { kind: 'failed', reason: message };
  if (stopping.has(error.code)) throw new ImportStopped(message, { cause: error });
  return { kind: noPicture.has(error.code) ? 'skipped' : 'failed', reason: message };
}
