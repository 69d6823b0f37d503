// The form of API keys: `tt_`, key id, secret and checksum, letters and digits only, so that scanners recognise a leaked
// one and a mistyped one is known without asking the database. Only a hash of the whole key is ever stored.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'tt_';
const keyIdLength = 12;
const secretLength = 32;
const checksumLength = 6;
const wellFormed = new RegExp(`^${prefix}[0-9A-Za-z]{${keyIdLength + secretLength + checksumLength}}$`);

export function generateApiKey(keyId = randomText(keyIdLength)): string {
  const body = prefix + keyId + randomText(secretLength);
  return body + checksumOf(body);
}

/** Of a key in our form the id it carries; of any other text, such as a key the operator chose, one derived from it. */
export function keyIdOf(apiKey: string): string {
  if (isWellFormed(apiKey)) return apiKey.slice(prefix.length, prefix.length + keyIdLength);
  // Hashed apart from the stored hash, of which a key id must reveal nothing.
  const digest = hash('sha256', `key id of ${apiKey}`);
  return inAlphabet(BigInt(`0x${digest}`), keyIdLength);
}

export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey);
}

export function sameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

function isWellFormed(apiKey: string): boolean {
  return (
    wellFormed.test(apiKey) && checksumOf(apiKey.slice(0, -checksumLength)) === apiKey.slice(-checksumLength)
  );
}

function checksumOf(text: string): string {
  return inAlphabet(BigInt(crc32(text)), checksumLength);
}

function inAlphabet(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: higher bytes would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
