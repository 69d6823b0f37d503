// One id per request: in the answer, in the log, and nowhere taken from the client. Chance is drawn for many at a time,
// because asking the system for it costs more than all else that a file sent from memory needs of us.
import { randomBytes } from 'node:crypto';

const idBytes = 9;
const idsDrawn = 256;
let drawn = Buffer.alloc(0);
let used = 0;

export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomBytes(idBytes * idsDrawn);
    used = 0;
  }
  used += idBytes;
  return `req_${drawn.toString('base64url', used - idBytes, used)}`;
}
