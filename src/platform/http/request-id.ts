// One id per request: in the answer, in the log, and nowhere taken from the client.
import { randomBase64url } from '../random.ts';

export function newRequestId(): string {
  return `req_${randomBase64url(9)}`;
}
