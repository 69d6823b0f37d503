// Every setting, once: its name, default, meaning and check. The documentation's table is made from this list.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { OperatorError } from './platform/errors.ts';
import { editDistance } from './lib/edit-distance.ts';
import {
  address,
  addressTemplate,
  asIs,
  databaseAddress,
  headerLines,
  internalLocation,
  method,
  oneOf,
  onOrOff,
  optional,
  origins,
  placeholders,
  secret,
  type Setting,
  setting,
  store,
  template,
  visibleAscii,
  webAddress,
  wholeNumber,
  Wrong,
} from './setting-kinds.ts';
import { aiSettings } from './ai-settings.ts';
import { type ServiceAccess, serviceAccessSettings } from './service-access.ts';
import {
  videoProviderConflicts,
  videoProviderOptions,
  videoProviderSettings,
} from './video-provider-settings.ts';

type Environment = Record<string, string | undefined>;

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
  DATABASE_URL: secret(
    optional(
      databaseAddress,
      'PostgreSQL 15 or newer with pgvector: `postgres://user:password@host/database`; see [docs/scaling.md](scaling.md)',
      'embedded SQLite in `DATA_DIR`',
    ),
  ),
  DATABASE_SESSIONS: setting(
    wholeNumber(2, 1000),
    10,
    'connections to PostgreSQL that each process may open, beside one for notifications',
  ),
  FILES_STORE: optional(
    store,
    'where the default backend keeps its files: `file:<folder>`, or `s3://bucket/prefix?endpoint=…&region=…`; see [S3](self-hosting.md#s3)',
    '`file:$DATA_DIR/files`',
  ),
  STORAGE_STORE: optional(store, 'where the alternative backend keeps its files', '`file:$DATA_DIR/storage`'),
  ...aiSettings,
  SMTP_URL: secret(
    optional(address('smtp', 'smtps'), 'mail server for the 95% notice', 'none: the mail is logged'),
  ),
  MAIL_FROM: setting(asIs, 'tintype@localhost', 'sender of that mail'),
  ...videoProviderSettings,
  VIDEO_WORKERS: setting(wholeNumber(1, 64), 1, 'films transcoded at the same time'),
  UPLOAD_ALLOW_PRIVATE: setting(
    onOrOff,
    false,
    'lets accounts have files fetched from private addresses (development only)',
    'off',
  ),
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
  SECRET_KEY: secret(
    optional(
      visibleAscii(16, 500),
      'encrypts stored secrets',
      'generated into `DATA_DIR`; required with `DATABASE_URL`',
    ),
  ),
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
  DRAIN_SECONDS: setting(
    wholeNumber(0, 300),
    0,
    'seconds a node that was told to stop goes on answering while `/health/ready` says 503, so that a balancer in front can turn to others',
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
  COPIES_MAX_BYTES: setting(
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
    10 * 1024 ** 3,
    'room for copies of files that are kept in S3; those used longest ago are dropped',
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

type Definitions = Record<string, Setting<unknown>>;
type ValuesOf<Defined extends Definitions> = { [Name in keyof Defined]: ReturnType<Defined[Name]['read']> };
type Values = ValuesOf<typeof settings>;
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
  const config = withDerived(readValues(environment, settings, misspelt(environment)));
  const conflicts = conflictsIn(config);
  if (conflicts.length > 0) throw new ConfigError(conflicts);
  return config;
}

/** Nothing else is looked at: an assistant's or a script's environment is full of names that mean something else there. */
export function loadServiceAccess(environment: Environment): ServiceAccess {
  const { TINTYPE_URL: url, TINTYPE_KEY: key } = readValues(environment, serviceAccessSettings);
  return { url, key };
}

function readValues<Defined extends Definitions>(
  environment: Environment,
  definitions: Defined,
  problems: string[] = [],
): ValuesOf<Defined> {
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    try {
      values[name] = definition.read(rawValue(environment, name, definition));
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      problems.push(`${name} ${error.message}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as ValuesOf<Defined>;
}

function conflictsIn(config: Config): string[] {
  const { filesUrl, storageUrl, purgeCall, PURGE_HEADERS, PURGE_BODY } = config;
  const conflicts = videoProviderConflicts(config);
  if (config.DATABASE_URL && !config.SECRET_KEY)
    conflicts.push('SECRET_KEY must be set with DATABASE_URL, the same on every node');
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
    modelsDir: resolve(values.MODELS_DIR ?? `${dataDir}/models`),
    purgeCall: values.PURGE_URL
      ? {
          url: values.PURGE_URL,
          method: values.PURGE_METHOD,
          headers: values.PURGE_HEADERS ?? {},
          body: values.PURGE_BODY,
        }
      : null,
    videoProviders: videoProviderOptions(values),
  };
}

export function settingsWithPort(config: Config, port: number): Config {
  return withDerived({ ...config, PORT: port });
}
