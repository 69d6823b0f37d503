// One id per request: in the answer, in the log, and nowhere taken from the client.
import { randomName } from '../random.ts';

export function newRequestId(): string {
  return `req_${randomName()}`;
}
