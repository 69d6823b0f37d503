// The kinds of values a setting can have: each reads a text, or says what it must be.
import { parseS3Address } from './platform/storage/s3/s3-address.ts';

export type Setting<T> = {
  meaning: string;
  /** What the documentation shows as the default. */
  shown: string;
  secret?: true;
  read(text: string | undefined): T;
};

export class Wrong extends Error {}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new Wrong(`must be a whole number from ${least} to ${most}`);
    return value;
  };
}

export function onOrOff(text: string): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'on', 'yes'].includes(word)) return true;
  if (['0', 'false', 'off', 'no'].includes(word)) return false;
  throw new Wrong('must be 1, true, on or yes, or 0, false, off or no');
}

export function address(...protocols: string[]): (text: string) => string {
  return (text) => {
    const url = URL.parse(text);
    const starts = protocols.map((protocol) => `${protocol}://`);
    if (!url || !starts.some((start) => text.toLowerCase().startsWith(start)))
      throw new Wrong(`must be an address that begins with ${starts.join(' or ')}`);
    return text.replace(/\/+$/, '');
  };
}

export function webAddress(text: string): string {
  const checked = address('http', 'https')(text);
  const url = new URL(checked);
  if (/[?#]/.test(checked) || url.username || url.password)
    throw new Wrong('must be an address without user, query or fragment');
  return url.href.replace(/\/+$/, '');
}

/** May hold a password: what is wrong is not repeated. */
export function databaseAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:\/\//i.test(text) || url.pathname.length < 2)
    throw new Wrong('must be an address such as postgres://user:password@host:5432/database');
  return text;
}

export function store(text: string): string {
  if (text.startsWith('s3://')) {
    try {
      parseS3Address(text);
    } catch (error) {
      throw new Wrong((error as Error).message);
    }
    return text;
  }
  if (!/^file:./.test(text)) throw new Wrong('must be file:<folder> or s3://bucket/prefix?endpoint=…');
  return text;
}

export function visibleAscii(least: number, most: number): (text: string) => string {
  return (text) => {
    if (!/^[\x21-\x7e]+$/.test(text) || text.length < least || text.length > most)
      throw new Wrong(`must be ${least} to ${most} visible ASCII characters`);
    return text;
  };
}

export function origins(text: string): string[] {
  return text.split(',').map((part) => {
    const origin = part.trim();
    if (origin !== '*' && URL.parse(origin)?.origin !== origin)
      throw new Wrong('must be origins such as https://app.example.com, separated by commas');
    return origin;
  });
}

/** The words a call may hold for the object it is about. */
export const placeholders = ['{url}', '{tag}'];

export function template(text: string): string {
  const unknown = text.match(/\{\w+\}/g)?.find((word) => !placeholders.includes(word));
  if (unknown) throw new Wrong(`knows ${placeholders.join(' and ')}, but not ${unknown}`);
  return text;
}

export function addressTemplate(text: string): string {
  const { username, password } = new URL(address('http', 'https')(text));
  if (username || password) throw new Wrong('must be an address without user; use PURGE_HEADERS');
  return template(text);
}

export function headerLines(text: string): Record<string, string> {
  const lines = text.split(/\r?\n|\\n/).filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^([\w-]+):\s*([\x20-\x7e]+?)\s*$/.exec(line.trim()));
  // What is wrong is not repeated: it may hold a credential.
  if (pairs.some((pair) => !pair))
    throw new Wrong('must be lines such as "Authorization: Bearer …", in visible ASCII');
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], template(pair?.[2] as string)]));
}

export function method(text: string): string {
  if (!/^[A-Z]{3,20}$/.test(text)) throw new Wrong('must be a method in capitals, such as POST or PURGE');
  return text;
}

export function internalLocation(text: string): string {
  if (!/^(\/[\w-]+)+$/.test(text)) throw new Wrong('must be a path such as /tintype-internal');
  return text;
}

export function oneOf<T extends string>(...words: T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text);
    if (!found) throw new Wrong(`must be ${words.join(' or ')}`);
    return found;
  };
}

export const asIs = (text: string): string => text;

export function setting<T>(
  check: (text: string) => T,
  fallback: T,
  meaning: string,
  shown = String(fallback),
): Setting<T> {
  return { meaning, shown, read: (text) => (text === undefined ? fallback : check(text)) };
}

export function optional<T>(
  check: (text: string) => T,
  meaning: string,
  shown: string,
): Setting<T | undefined> {
  return { meaning, shown, read: (text) => (text === undefined ? undefined : check(text)) };
}

export function secret<T>(plain: Setting<T>): Setting<T> {
  return { ...plain, secret: true };
}
