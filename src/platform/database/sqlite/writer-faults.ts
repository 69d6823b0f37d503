// What can go wrong in the writing thread, as those who wait for it hear of it.
import { AppError } from '../../errors.ts';

/** A statement of a batch that must change a row and did not. */
export class Refusal extends Error {
  readonly by: number;
  constructor(by: number) {
    super('A batch was refused');
    this.by = by;
  }
}

export class SqliteFailure extends Error {
  readonly code: string;
  readonly transactionLost: boolean;
  constructor(message: string, code: string, transactionLost: boolean) {
    super(message);
    this.code = code;
    this.transactionLost = transactionLost;
  }
}

export function toAppError(error: unknown): unknown {
  if (!(error instanceof SqliteFailure)) return error;
  if (error.code === 'SQLITE_FULL') return new AppError('disk_full', undefined, { cause: error });
  if (error.code.startsWith('SQLITE_BUSY')) return new AppError('overloaded', undefined, { cause: error });
  return error;
}
