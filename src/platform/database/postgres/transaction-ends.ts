// The ways a transaction can end without having been committed, for those who decide whether to run it again.

/** A statement of a batch that must change a row and did not: all of it was undone. */
export class Refusal extends Error {
  readonly reason: Error;
  constructor(reason: Error) {
    super('A batch was refused');
    this.reason = reason;
  }
}

/** Its session broke before the commit was asked for: nothing of it holds. */
export class CutShort extends Error {
  constructor(cause: unknown) {
    super('A transaction was cut short', { cause });
  }
}

/** Its session broke after that: nobody knows. */
export class Uncertain extends Error {
  constructor(cause: unknown) {
    super('A commit was asked for and not answered', { cause });
  }
}

export function causeOf(error: unknown): unknown {
  return error instanceof CutShort || error instanceof Uncertain ? error.cause : error;
}
