// Every setting, once: its name, default, meaning and check. The documentation's table is made from this list.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { OperatorError } from './platform/errors.ts';

type Environment = Record<string, string | undefined>;
type Setting<T> = {
  meaning: string;
  /** What the documentation shows as the default. */
  shown: string;
  secret?: true;
  read(text: string | undefined): T;
};

class Wrong extends Error {}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new Wrong(`must be a whole number from ${least} to ${most}`);
    return value;
  };
}

function onOrOff(text: string): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'on', 'yes'].includes(word)) return true;
  if (['0', 'false', 'off', 'no'].includes(word)) return false;
  throw new Wrong('must be 1, true, on or yes, or 0, false, off or no');
}

function address(...protocols: string[]): (text: string) => string {
  return (text) => {
    const url = URL.parse(text);
    const starts = protocols.map((protocol) => `${protocol}://`);
    if (!url || !starts.some((start) => text.toLowerCase().startsWith(start)))
      throw new Wrong(`must be an address that begins with ${starts.join(' or ')}`);
    return text.replace(/\/+$/, '');
  };
}

function webAddress(text: string): string {
  const checked = address('http', 'https')(text);
  const url = new URL(checked);
  if (/[?#]/.test(checked) || url.username || url.password)
    throw new Wrong('must be an address without user, query or fragment');
  return url.href.replace(/\/+$/, '');
}

function store(text: string): string {
  if (text.startsWith('s3://'))
    throw new Wrong('s3:// stores are not available in this version; use file:<folder>');
  if (!/^file:./.test(text)) throw new Wrong('must be file:<folder>');
  return text;
}

function visibleAscii(least: number, most: number): (text: string) => string {
  return (text) => {
    if (!/^[\x21-\x7e]+$/.test(text) || text.length < least || text.length > most)
      throw new Wrong(`must be ${least} to ${most} visible ASCII characters`);
    return text;
  };
}

function origins(text: string): string[] {
  return text.split(',').map((part) => {
    const origin = part.trim();
    if (origin !== '*' && URL.parse(origin)?.origin !== origin)
      throw new Wrong('must be origins such as https://app.example.com, separated by commas');
    return origin;
  });
}

/** The words a call may hold for the object it is about. */
const placeholders = ['{url}', '{tag}'];

function template(text: string): string {
  const unknown = text.match(/\{\w+\}/g)?.find((word) => !placeholders.includes(word));
  if (unknown) throw new Wrong(`knows ${placeholders.join(' and ')}, but not ${unknown}`);
  return text;
}

function addressTemplate(text: string): string {
  const { username, password } = new URL(address('http', 'https')(text));
  if (username || password) throw new Wrong('must be an address without user; use PURGE_HEADERS');
  return template(text);
}

function headerLines(text: string): Record<string, string> {
  const lines = text.split(/\r?\n|\\n/).filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^([\w-]+):\s*([\x20-\x7e]+?)\s*$/.exec(line.trim()));
  // What is wrong is not repeated: it may hold a credential.
  if (pairs.some((pair) => !pair))
    throw new Wrong('must be lines such as "Authorization: Bearer …", in visible ASCII');
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], template(pair?.[2] as string)]));
}

function method(text: string): string {
  if (!/^[A-Z]{3,20}$/.test(text)) throw new Wrong('must be a method in capitals, such as POST or PURGE');
  return text;
}

function internalLocation(text: string): string {
  if (!/^(\/[\w-]+)+$/.test(text)) throw new Wrong('must be a path such as /tintype-internal');
  return text;
}

function oneOf<T extends string>(...words: T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text);
    if (!found) throw new Wrong(`must be ${words.join(' or ')}`);
    return found;
  };
}

const asIs = (text: string): string => text;

function setting<T>(
  check: (text: string) => T,
  fallback: T,
  meaning: string,
  shown = String(fallback),
): Setting<T> {
  return { meaning, shown, read: (text) => (text === undefined ? fallback : check(text)) };
}

function optional<T>(check: (text: string) => T, meaning: string, shown: string): Setting<T | undefined> {
  return { meaning, shown, read: (text) => (text === undefined ? undefined : check(text)) };
}

function secret<T>(plain: Setting<T>): Setting<T> {
  return { ...plain, secret: true };
}

export const settings = {
  PORT: setting(wholeNumber(0, 65535), 3000, 'port it listens on; 0 takes a free one'),
  HOST: setting(asIs, '127.0.0.1', 'address it listens on; 0.0.0.0 for all'),
  DATA_DIR: setting(asIs, './data', 'folder of everything the embedded default keeps'),
  BASE_URL: optional(webAddress, 'public address of the API', '`http://localhost:$PORT`'),
  FILES_URL: optional(
    webAddress,
    'public address of the default backend’s files; may be another host, which then serves only objects',
    '`$BASE_URL/files`',
  ),
  STORAGE_URL: optional(
    webAddress,
    'public address of the alternative backend’s files',
    '`$BASE_URL/storage`',
  ),
  DATABASE_URL: optional(
    (): string => {
      throw new Wrong('is not available in this version; leave it unset for the embedded SQLite');
    },
    'PostgreSQL; not available in this version',
    'embedded SQLite in `DATA_DIR`',
  ),
  FILES_STORE: optional(
    store,
    'where the default backend keeps its files: `file:<folder>`',
    '`file:$DATA_DIR/files`',
  ),
  STORAGE_STORE: optional(store, 'where the alternative backend keeps its files', '`file:$DATA_DIR/storage`'),
  OPENAI_BASE_URL: setting(webAddress, 'https://api.openai.com/v1', 'any server that speaks the OpenAI API'),
  OPENAI_CAPTION_MODEL: setting(asIs, 'gpt-4o-mini', 'model that captions pictures'),
  OPENAI_EMBEDDING_MODEL: setting(asIs, 'text-embedding-3-small', 'model that embeds captions and queries'),
  SMTP_URL: secret(
    optional(address('smtp', 'smtps'), 'mail server for the 95% notice', 'none: the mail is logged'),
  ),
  MAIL_FROM: setting(asIs, 'tintype@localhost', 'sender of that mail'),
  VIDEO_PROVIDER: setting(oneOf('local'), 'local', 'who makes streams of films'),
  WEBHOOK_ALLOW_PRIVATE: setting(
    onOrOff,
    false,
    'lets accounts’ callbacks reach private addresses (development only)',
    'off',
  ),
  BOOTSTRAP_API_KEY: secret(
    optional(
      visibleAscii(24, 200),
      'key of the operator account, used only at the first start',
      'generated, printed once',
    ),
  ),
  SECRET_KEY: secret(optional(visibleAscii(16, 500), 'encrypts stored secrets', 'generated into `DATA_DIR`')),
  METRICS_TOKEN: secret(
    optional(visibleAscii(8, 500), 'bearer token for `/metrics`', 'none: `/metrics` answers loopback only'),
  ),
  API_CORS_ORIGINS: setting(
    origins,
    [],
    'browser origins that may call the API, separated by commas',
    'none',
  ),
  LOG_LEVEL: setting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'how much is logged, as JSON lines on standard output',
  ),
  WEB_CONCURRENCY: setting(
    wholeNumber(1, 64),
    1,
    'processes that answer requests; see [more than one process](self-hosting.md#more-than-one-process)',
  ),
  IMAGE_WORKERS: setting(
    wholeNumber(1, 256),
    availableParallelism(),
    'processes that decode pictures',
    'one for each core',
  ),
  IMAGE_QUEUE: setting(
    wholeNumber(0, 100_000),
    200,
    'renderings that may wait before new ones are answered 503',
  ),
  IMAGE_SECONDS: setting(
    wholeNumber(1, 600),
    10,
    'seconds of processor time one rendering may take before its process is killed; three times that on the clock',
  ),
  CACHE_MAX_BYTES: setting(
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
    10 * 1024 ** 3,
    'room for variants that can be made again; those used longest ago are dropped',
    '10 GB',
  ),
  MEZZANINES: setting(
    onOrOff,
    true,
    'keeps a copy of 2048 px of large pictures, from which variants are made faster',
    'on',
  ),
  BACKGROUND_MODEL: optional(
    asIs,
    'ONNX file of a better model for `bg-remove`',
    'U²-Netp, which comes with the packages',
  ),
  TRUST_PROXY: setting(
    onOrOff,
    false,
    'takes the client’s address from the last entry of `X-Forwarded-For`; set it behind a proxy',
    'off',
  ),
  MEMORY_CACHE_MB: setting(wholeNumber(0, 100_000), 64, 'memory for small files served often'),
  X_ACCEL_REDIRECT: optional(
    internalLocation,
    'internal location of an nginx in front, which then sends large originals from disk; see [docs/cdn.md](cdn.md)',
    'off',
  ),
  CACHE_TAG_HEADER: setting(
    oneOf('Cache-Tag', 'CDN-Tag', 'Surrogate-Key'),
    'Cache-Tag',
    'header of public answers that names the object to caches: `Cache-Tag`, `CDN-Tag` or `Surrogate-Key`',
  ),
  PURGE_URL: optional(
    addressTemplate,
    'called when an object was deleted, so that caches in front forget it; `{url}` and `{tag}` stand for the object’s',
    'none',
  ),
  PURGE_METHOD: setting(method, 'POST', 'method of that call'),
  PURGE_HEADERS: secret(
    optional(headerLines, 'headers of that call, one `Name: value` per line (or separated by `\\n`)', 'none'),
  ),
  PURGE_BODY: optional(template, 'body of that call', 'none'),
} as const;

type Values = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> };
export type SettingName = keyof typeof settings;

export type Config = ReturnType<typeof withDerived>;

export class ConfigError extends OperatorError {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(
      `Tintype cannot start with these settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Reads every setting and tells every problem at once. */
export function loadConfig(environment: Environment): Config {
  const problems = misspelt(environment);
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(settings) as [SettingName, Setting<unknown>][]) {
    try {
      values[name] = definition.read(rawValue(environment, name, definition));
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      problems.push(`${name} ${error.message}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const config = withDerived(values as Values);
  const conflicts = conflictsIn(config);
  if (conflicts.length > 0) throw new ConfigError(conflicts);
  return config;
}

function conflictsIn({ filesUrl, storageUrl, purgeCall, PURGE_HEADERS, PURGE_BODY }: Config): string[] {
  const conflicts: string[] = [];
  if (filesUrl === storageUrl) conflicts.push('STORAGE_URL must be another address than FILES_URL');
  if (!purgeCall && (PURGE_HEADERS || PURGE_BODY))
    conflicts.push('PURGE_URL must be set for PURGE_HEADERS and PURGE_BODY to be used');
  // A call that names no object drops everything at some CDNs.
  const call = JSON.stringify(purgeCall);
  if (purgeCall && !placeholders.some((word) => call.includes(word)))
    conflicts.push('PURGE_URL, PURGE_HEADERS or PURGE_BODY must name the object by {tag} or {url}');
  return conflicts;
}

/** Empty is unset; a secret may also stand in the file that NAME_FILE names. */
function rawValue(environment: Environment, name: string, definition: Setting<unknown>): string | undefined {
  const direct = environment[name]?.trim() || undefined;
  const file = definition.secret && environment[`${name}_FILE`]?.trim();
  if (!file) return direct;
  if (direct) throw new Wrong(`and ${name}_FILE are both set; keep one`);
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    throw new Wrong(`cannot be read from the file that ${name}_FILE names`);
  }
}

function misspelt(environment: Environment): string[] {
  const known = Object.entries(settings).flatMap(
    ([name, { secret: isSecret }]: [string, { secret?: true }]) =>
      isSecret ? [name, `${name}_FILE`] : [name],
  );
  return Object.keys(environment).flatMap((name) => {
    if (name.length < 6 || known.includes(name) || !environment[name]) return [];
    const meant = known.find((candidate) => candidate.length >= 6 && editDistance(name, candidate) <= 2);
    return meant ? [`${name} is not a setting; did you mean ${meant}?`] : [];
  });
}

function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 2) return 3;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, replaced));
    }
    row = next;
  }
  return row[right.length] as number;
}

function withDerived(values: Values) {
  const dataDir = resolve(values.DATA_DIR);
  const baseUrl = values.BASE_URL ?? `http://localhost:${values.PORT}`;
  return {
    ...values,
    dataDir,
    baseUrl,
    filesUrl: values.FILES_URL ?? `${baseUrl}/files`,
    storageUrl: values.STORAGE_URL ?? `${baseUrl}/storage`,
    filesStore: values.FILES_STORE ?? `file:${dataDir}/files`,
    storageStore: values.STORAGE_STORE ?? `file:${dataDir}/storage`,
    purgeCall: values.PURGE_URL
      ? {
          url: values.PURGE_URL,
          method: values.PURGE_METHOD,
          headers: values.PURGE_HEADERS ?? {},
          body: values.PURGE_BODY,
        }
      : null,
  };
}

export function settingsWithPort(config: Config, port: number): Config {
  return withDerived({ ...config, PORT: port });
}
