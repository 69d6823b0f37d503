// What a failed task means to whoever asked. The reason, which may name paths, stays in the cause for the log.
import { AppError, retryAfter } from '../../platform/errors.ts';
import type { WorkerFailure } from '../../platform/workers/worker-process.ts';
import { type FilmAnswer, undecodableSentence } from './film-protocol.ts';

type Outcome = FilmAnswer | WorkerFailure;

/** Somebody waits with a film in hand: what our workers do not survive is refused. */
export function refusalOf(outcome: Outcome): AppError {
  const cause = causeOf(outcome);
  switch (outcome.kind) {
    case 'undecodable':
      return new AppError('undecodable', outcome.reason, { cause });
    case 'too_slow':
      return new AppError('undecodable', 'The film took too long to read');
    case 'too_large':
      return new AppError('undecodable', 'The film needs too much memory to decode');
    case 'crashed':
      return new AppError('undecodable', undecodableSentence, { cause });
    case 'disk_full':
      return new AppError('disk_full', undefined, { cause });
    // The film was not even looked at.
    case 'not_started':
      return new AppError('overloaded', undefined, { ...retryAfter(1), cause });
    default:
      return new AppError('internal', undefined, { cause });
  }
}

/** A film that was taken: only what it holds is held against it, everything else may go better next time. */
export function failureOf(outcome: Outcome): Error {
  if (outcome.kind === 'undecodable') return refusalOf(outcome);
  return new Error(`The film worker failed: ${outcome.kind}`, { cause: causeOf(outcome) });
}

function causeOf(outcome: Outcome): Error | undefined {
  if (outcome.kind === 'undecodable') return new Error(outcome.detail);
  return 'reason' in outcome ? new Error(outcome.reason) : undefined;
}
