// Random names. The system is asked for many bytes at once: a call costs far more than the few that one name needs.
import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafeSlow(4096);
let used = pool.length;

export function randomHex(bytes: number): string {
  return take(bytes).toString('hex');
}

export function randomBase64url(bytes: number): string {
  return take(bytes).toString('base64url');
}

function take(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}
