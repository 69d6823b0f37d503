// Structured logs, one JSON line each, in which no key, token or credential ever appears.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** As they stand in a line of JSON: a quote in a key is escaped, and the letter before it may be that of an escape (`\n`). */
const secretShapes = [
  /tt_[A-Za-z0-9_-]{20,}/g,
  /Bearer\s+(?:\\["\\]|[\x21\x23-\x5b\x5d-\x7e])+/gi,
  /whsec_[A-Za-z0-9+/=]+/g,
  /ttsign_[A-Za-z0-9_-]+/g,
  /(?<![A-Za-z0-9](?<!\\[bfnrt]|\\u[0-9a-f]{4}))sk-[A-Za-z0-9_-]{8,}/g,
];
/** Fields by name, at any depth, whatever their value looks like. */
const secretField =
  /"(authorization|api_key|openai_api_key|secret|webhook_secret|signing_secret|cookie)":(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^,}\]]+)/gi;
/** Most lines hold nothing of the kind, and one look tells. */
const suspicious = /tt_|bearer|whsec_|ttsign_|sk-|authorization|api_key|secret|cookie/i;

/** Lines of a busy moment go out together, since each write wakes a thread; what ends the process does not wait. */
const gathered = { fd: process.stdout.fd, sync: false, minLength: 4096, periodicFlush: 100 };

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination ?? pino.destination(gathered));
}

/** Messages and stacks quote what they choked on. */
function scrub(line: string): string {
  if (!suspicious.test(line)) return line;
  const named = line.replace(secretField, '"$1":"[redacted]"');
  return secretShapes.reduce((text, shape) => text.replace(shape, '[redacted]'), named);
}
