// Structured logs, one JSON line each, in which no key, token or credential ever appears.
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type Log = Logger;

const secretShapes = [
  /\btt_[A-Za-z0-9_-]{20,}/g,
  /\bBearer\s+[\x21-\x7e]+/gi,
  /\bwhsec_[A-Za-z0-9+/=]+/g,
  /\bttsign_[A-Za-z0-9_-]+/g,
  /\bsk-[A-Za-z0-9_-]{8,}/g,
];
const secretFields = [
  'authorization',
  'api_key',
  'openai_api_key',
  'secret',
  'webhook_secret',
  'signing_secret',
  'cookie',
];

export function createLog(level: string, destination?: DestinationStream): Logger {
  const paths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths, censor: '[redacted]' },
    serializers: { err: (error: Error) => scrub(stdSerializers.err(error)) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Messages and stacks quote what they choked on. */
function scrub<T>(value: T): T {
  let text = JSON.stringify(value);
  for (const shape of secretShapes) text = text.replace(shape, '[redacted]');
  return JSON.parse(text) as T;
}
