// Which field the service refused: it names it first, as in `Field "email" must be an e-mail address`.
import { isRefusal } from '../../../client/src/index.ts';

export function refusedField(error: unknown): string | null {
  return isRefusal(error) ? (/^Field "(\w+)"/.exec(error.message)?.[1] ?? null) : null;
}
