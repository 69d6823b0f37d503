// One id per request: in the answer, in the log, and nowhere taken from the client.
import { randomBytes } from 'node:crypto';

export function newRequestId(): string {
  return `req_${randomBytes(9).toString('base64url')}`;
}
