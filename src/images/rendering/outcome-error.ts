// What a client is told when a rendering fails. The reason, which may name paths, stays in the cause for the log.
import { AppError, retryAfter } from '../../platform/errors.ts';
import type { WorkerFailure } from '../../platform/workers/worker-process.ts';
import type { ImageAnswer } from './worker-protocol.ts';

export type Failure = Exclude<ImageAnswer, { kind: 'rendered' | 'described' }> | WorkerFailure;

export function outcomeError(failure: Failure): AppError {
  const cause = 'reason' in failure ? new Error(failure.reason) : undefined;
  switch (failure.kind) {
    case 'refused':
      return new AppError(failure.code, failure.reason);
    case 'undecodable':
      return new AppError('undecodable', 'The picture cannot be decoded', { cause });
    case 'too_slow':
      return new AppError('undecodable', 'The picture took too long to render');
    case 'too_large':
      return new AppError('undecodable', 'The picture needs too much memory to render');
    case 'crashed':
      return new AppError('undecodable', 'The picture cannot be rendered', { cause });
    case 'missing':
      return new AppError('object_not_found', undefined, { cause });
    case 'disk_full':
      return new AppError('disk_full', undefined, { cause });
    // The picture was not even looked at.
    case 'not_started':
      return new AppError('overloaded', undefined, { ...retryAfter(1), cause });
    case 'failed':
      return new AppError('internal', undefined, { cause });
  }
}
