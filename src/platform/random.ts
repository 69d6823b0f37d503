// Random names. The system is asked for many bytes at once: a call costs far more than the few that one name needs.
import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafeSlow(4096);
let used = pool.length;

const nameLength = 12;
/** A multiple of nine bytes, so that no name shares a byte with the next. */
const namePool = Buffer.allocUnsafeSlow(9 * 450);
let names = '';
let namesUsed = 0;

export function randomHex(bytes: number): string {
  return take(bytes).toString('hex');
}

/** Twelve characters, 72 bits, cut from a longer text: an encoding of their own would cost more than they do. */
export function randomName(): string {
  if (namesUsed >= names.length) {
    names = randomFillSync(namePool).toString('base64url');
    namesUsed = 0;
  }
  namesUsed += nameLength;
  return names.slice(namesUsed - nameLength, namesUsed);
}

function take(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}
