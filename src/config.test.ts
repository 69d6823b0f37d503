import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { problemsOf } from '../test/support/config-problems.ts';
import { ConfigError, loadConfig, type SettingName, settings, settingsWithPort } from './config.ts';

const secretNames = [
  'DATABASE_URL',
  'SMTP_URL',
  'MUX_TOKEN_SECRET',
  'MUX_WEBHOOK_SECRET',
  'CLOUDFLARE_API_TOKEN',
  'CLOUDFLARE_WEBHOOK_SECRET',
  'BOOTSTRAP_API_KEY',
  'SECRET_KEY',
  'METRICS_TOKEN',
  'PURGE_HEADERS',
] as const;

const problemOf = (name: string, value: string): string | undefined => problemsOf({ [name]: value })[0];

describe('settings', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tintype-config-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function fileWith(content: string): string {
    const file = join(folder, `${Math.random()}`);
    writeFileSync(file, content);
    return file;
  }

  test('an empty environment gives every default', () => {
    const dataDir = resolve('./data');
    assert.deepEqual(loadConfig({}), {
      PORT: 3000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      BASE_URL: undefined,
      FILES_URL: undefined,
      STORAGE_URL: undefined,
      DATABASE_URL: undefined,
      DATABASE_SESSIONS: 10,
      FILES_STORE: undefined,
      STORAGE_STORE: undefined,
      OPENAI_BASE_URL: 'https://api.openai.com/v1',
      OPENAI_CAPTION_MODEL: 'gpt-4o-mini',
      OPENAI_CAPTION_SECONDS: 60,
      OPENAI_EMBEDDING_MODEL: 'text-embedding-3-small',
      OPENAI_EMBEDDING_DIMENSIONS: 512,
      AI_ALLOW_PRIVATE: false,
      ANALYSES_PER_MINUTE: 600,
      MODELS_DIR: undefined,
      MODELS_DOWNLOAD: false,
      LOCAL_EMBEDDING_MODEL: 'Xenova/siglip-base-patch16-224',
      LOCAL_CAPTION_MODEL: 'Xenova/vit-gpt2-image-captioning',
      SMTP_URL: undefined,
      MAIL_FROM: 'tintype@localhost',
      VIDEO_PROVIDER: 'local',
      VIDEO_WORKERS: 1,
      MUX_TOKEN_ID: undefined,
      MUX_TOKEN_SECRET: undefined,
      MUX_WEBHOOK_SECRET: undefined,
      MUX_BASE_URL: 'https://api.mux.com',
      CLOUDFLARE_ACCOUNT_ID: undefined,
      CLOUDFLARE_API_TOKEN: undefined,
      CLOUDFLARE_WEBHOOK_SECRET: undefined,
      CLOUDFLARE_BASE_URL: 'https://api.cloudflare.com/client/v4',
      UPLOAD_ALLOW_PRIVATE: false,
      WEBHOOK_ALLOW_PRIVATE: false,
      BOOTSTRAP_API_KEY: undefined,
      SECRET_KEY: undefined,
      METRICS_TOKEN: undefined,
      API_CORS_ORIGINS: [],
      LOG_LEVEL: 'info',
      WEB_CONCURRENCY: 1,
      DRAIN_SECONDS: 0,
      IMAGE_WORKERS: availableParallelism(),
      IMAGE_QUEUE: 200,
      IMAGE_SECONDS: 10,
      CACHE_MAX_BYTES: 10 * 1024 ** 3,
      COPIES_MAX_BYTES: 10 * 1024 ** 3,
      MEZZANINES: true,
      BACKGROUND_MODEL: undefined,
      TRUST_PROXY: false,
      MEMORY_CACHE_MB: 64,
      X_ACCEL_REDIRECT: undefined,
      CACHE_TAG_HEADER: 'Cache-Tag',
      PURGE_URL: undefined,
      PURGE_METHOD: 'POST',
      PURGE_HEADERS: undefined,
      PURGE_BODY: undefined,
      dataDir,
      baseUrl: 'http://localhost:3000',
      filesUrl: 'http://localhost:3000/files',
      storageUrl: 'http://localhost:3000/storage',
      filesStore: `file:${dataDir}/files`,
      storageStore: `file:${dataDir}/storage`,
      modelsDir: `${dataDir}/models`,
      purgeCall: null,
      videoProviders: { mux: null, cloudflare: null },
    });
  });

  test('empty or blank is unset, for every setting', () => {
    for (const blank of ['', ' ', '\t']) {
      const environment = Object.fromEntries(Object.keys(settings).map((name) => [name, blank]));
      assert.deepEqual(loadConfig(environment), loadConfig({}));
    }
  });

  test('addresses follow the port and the base address unless they are set', () => {
    assert.equal(loadConfig({ PORT: '8080' }).filesUrl, 'http://localhost:8080/files');
    const behindProxy = loadConfig({ BASE_URL: 'https://img.example.com/api/' });
    assert.equal(behindProxy.baseUrl, 'https://img.example.com/api');
    assert.equal(behindProxy.storageUrl, 'https://img.example.com/api/storage');
    const apart = loadConfig({
      FILES_URL: 'https://cdn.example.com',
      STORAGE_URL: 'https://b.example.com/s/',
    });
    assert.deepEqual(
      [apart.filesUrl, apart.storageUrl],
      ['https://cdn.example.com', 'https://b.example.com/s'],
    );
    assert.equal(settingsWithPort(loadConfig({ PORT: '0' }), 4567).filesUrl, 'http://localhost:4567/files');
  });

  test('every problem is told at once, each with the name of its setting', () => {
    const problems = problemsOf({
      PORT: '70000',
      BASE_URL: 'ftp://example.com',
      FILES_STORE: 's3://bucket?endpont=http://s3.example.com',
      STORAGE_STORE: '/somewhere',
      DATABASE_URL: 'mysql://user:canary@db/tintype',
      VIDEO_PROVIDER: 'other',
      WEBHOOK_ALLOW_PRIVATE: 'maybe',
      SECRET_KEY: 'short',
      API_CORS_ORIGINS: 'example.com',
      LOG_LEVEL: 'loud',
      IMAGE_WORKERS: '0',
      STORGE_URL: 'https://example.com',
    });
    assert.deepEqual(problems.map((problem) => problem.slice(0, problem.indexOf(' '))).sort(), [
      'API_CORS_ORIGINS',
      'BASE_URL',
      'DATABASE_URL',
      'FILES_STORE',
      'IMAGE_WORKERS',
      'LOG_LEVEL',
      'PORT',
      'SECRET_KEY',
      'STORAGE_STORE',
      'STORGE_URL',
      'VIDEO_PROVIDER',
      'WEBHOOK_ALLOW_PRIVATE',
    ]);
    const { message } = new ConfigError(problems);
    for (const problem of problems) assert.ok(message.includes(problem));
    assert.doesNotMatch(message, /canary/);
  });

  test('a name that looks like a misspelt one stops the start and says which was meant', () => {
    for (const [name, meant] of [
      ['BASEURL', 'BASE_URL'],
      ['BASE_ULR', 'BASE_URL'],
      ['DATADIR', 'DATA_DIR'],
      ['FILE_URL', 'FILES_URL'],
      ['LOGLEVEL', 'LOG_LEVEL'],
      ['SECRET_KEY_FIL', 'SECRET_KEY_FILE'],
      ['METRIC_TOKEN', 'METRICS_TOKEN'],
      ['OPENAI_BASE_URLS', 'OPENAI_BASE_URL'],
      ['WEBHOOKS_ALLOW_PRIVATE', 'WEBHOOK_ALLOW_PRIVATE'],
    ] as const)
      assert.equal(problemOf(name, 'x'), `${name} is not a setting; did you mean ${meant}?`);
  });

  test('what a machine sets for others is left alone', () => {
    const strangers = {
      PATH: '/bin',
      HOME: '/root',
      POST: '1',
      HOSTNAME: 'box',
      LOGNAME: 'me',
      NODE_ENV: 'production',
      npm_config_port: '1',
      OPENAI_API_KEY: 'sk-x',
      DATABASE: 'x',
      BASEURL: '',
    };
    assert.deepEqual(problemsOf(strangers), []);
  });

  test('yes and no in every spelling', () => {
    const read = (word: string): boolean => loadConfig({ WEBHOOK_ALLOW_PRIVATE: word }).WEBHOOK_ALLOW_PRIVATE;
    for (const word of ['1', 'true', 'on', 'yes', 'TRUE', 'On', ' yes '])
      assert.equal(read(word), true, word);
    for (const word of ['0', 'false', 'off', 'no', 'FALSE', 'Off']) assert.equal(read(word), false, word);
    for (const word of ['2', 'y', 'enabled', 'truee', 'null'])
      assert.match(problemOf('WEBHOOK_ALLOW_PRIVATE', word) ?? '', /must be 1, true, on or yes/, word);
  });

  test('whole numbers within their range, and nothing that only looks like one', () => {
    assert.equal(loadConfig({ PORT: '0' }).PORT, 0);
    assert.equal(loadConfig({ PORT: '65535' }).PORT, 65535);
    for (const wrong of ['-1', '65536', '1.5', '1e3', '0x10', 'http', '٣', '9'.repeat(400)])
      assert.equal(problemOf('PORT', wrong), 'PORT must be a whole number from 0 to 65535', wrong);
  });

  test('web addresses have a host and neither user, query nor fragment', () => {
    for (const wrong of [
      'localhost:3000',
      '/files',
      'http://',
      'http:example.com',
      'https:/example.com',
      'ftp://example.com',
      'javascript:alert(1)',
      'http://exa mple.com',
      'http://user@example.com',
      'http://:password@example.com',
      'http://example.com/?a=b',
      'http://example.com/?',
      'http://example.com/#top',
      'http://example.com/#',
    ])
      assert.match(problemOf('BASE_URL', wrong) ?? 'accepted', /^BASE_URL must be an address/, wrong);
    for (const [given, taken] of [
      ['http://10.0.0.5:3000', 'http://10.0.0.5:3000'],
      ['https://example.com///', 'https://example.com'],
      ['http://[::1]:3000/', 'http://[::1]:3000'],
      ['https://example.com/a/b/', 'https://example.com/a/b'],
    ] as const)
      assert.equal(loadConfig({ BASE_URL: given }).baseUrl, taken);
  });

  test('the two backends cannot have one public address, or neither could be told from the other', () => {
    const same = 'https://cdn.example.com/files';
    assert.match(problemsOf({ FILES_URL: same, STORAGE_URL: `${same}/` })[0] ?? '', /^STORAGE_URL /);
    assert.match(
      problemsOf({ BASE_URL: 'https://x.example', STORAGE_URL: 'https://x.example/files' })[0] ?? '',
      /^STORAGE_URL /,
    );
  });

  test('origins are exact, or all', () => {
    const read = (text: string): string[] => loadConfig({ API_CORS_ORIGINS: text }).API_CORS_ORIGINS;
    assert.deepEqual(read('https://a.example, http://localhost:5173'), [
      'https://a.example',
      'http://localhost:5173',
    ]);
    assert.deepEqual(read('*'), ['*']);
    for (const wrong of [
      'a.example',
      'https://a.example/',
      'https://a.example/x',
      'https://a.example,,',
      'null',
    ])
      assert.match(problemOf('API_CORS_ORIGINS', wrong) ?? '', /must be origins/, wrong);
  });

  test('a secret may stand in a file, and its last line break does not count', () => {
    const key = 'k'.repeat(24);
    for (const [name, value] of [
      ['SMTP_URL', 'smtp://user:pass@mail.example.com'],
      ['BOOTSTRAP_API_KEY', key],
      ['SECRET_KEY', key],
      ['METRICS_TOKEN', key],
    ] as const)
      assert.equal(loadConfig({ [`${name}_FILE`]: fileWith(`${value}\n`) })[name], value);
    assert.equal(loadConfig({ SECRET_KEY_FILE: fileWith('\n') }).SECRET_KEY, undefined);
    const secrets = (Object.keys(settings) as SettingName[]).filter(
      (name) => (settings[name] as { secret?: true }).secret,
    );
    assert.deepEqual(secrets, secretNames);
  });

  test('the call that purges names its object, and keeps its credentials to itself', () => {
    const PURGE_URL = 'https://api.example.com/purge/{tag}/';
    const file = fileWith('Authorization: Bearer a:b\n\nX-Url: {url}\n');
    assert.deepEqual(loadConfig({ PURGE_URL, PURGE_HEADERS_FILE: file, PURGE_METHOD: 'PURGE' }).purgeCall, {
      url: PURGE_URL,
      method: 'PURGE',
      headers: { Authorization: 'Bearer a:b', 'X-Url': '{url}' },
      body: undefined,
    });
    const plain = 'https://api.example.com/purge';
    assert.deepEqual(
      loadConfig({ PURGE_URL: plain, PURGE_BODY: '{"tags":["{tag}"]}' }).purgeCall?.headers,
      {},
    );
    assert.match(problemsOf({ PURGE_URL: plain })[0] ?? '', /must name the object by \{tag\} or \{url\}$/);
    assert.match(problemsOf({ PURGE_BODY: '{tag}' })[0] ?? '', /^PURGE_URL must be set/);
    for (const wrong of [
      'api.example.com/{tag}',
      'ftp://x/{tag}',
      'https://user:hush@x/{tag}',
      'https://x/{tags}',
    ])
      assert.match(problemOf('PURGE_URL', wrong) ?? 'accepted', /^PURGE_URL (must|knows)/, wrong);
    for (const wrong of ['hush', 'Authorization hush', 'A: b\nhush', 'A B: hush', 'A: hush\u0000', 'A:']) {
      const problem = problemOf('PURGE_HEADERS', wrong) ?? 'accepted';
      assert.match(problem, /^PURGE_HEADERS must be lines/, wrong);
      assert.ok(!problem.includes('hush'));
    }
    for (const wrong of ['post', 'PO ST', 'X'])
      assert.match(problemOf('PURGE_METHOD', wrong) ?? '', /^PURGE_METHOD must/);
  });

  test('the internal location is a plain path', () => {
    assert.equal(loadConfig({ X_ACCEL_REDIRECT: '/a-b/c_d' }).X_ACCEL_REDIRECT, '/a-b/c_d');
    for (const wrong of ['tintype', '/', '/a/', '//a', '/a b', '/../a', '/a?b', 'http://x/a'])
      assert.match(problemOf('X_ACCEL_REDIRECT', wrong) ?? 'accepted', /must be a path such as/, wrong);
  });

  test('a secret given twice, or in a file that is not there, is a problem', () => {
    const file = fileWith('x'.repeat(30));
    assert.deepEqual(problemsOf({ SECRET_KEY: 'y'.repeat(30), SECRET_KEY_FILE: file }), [
      'SECRET_KEY and SECRET_KEY_FILE are both set; keep one',
    ]);
    assert.deepEqual(problemsOf({ SECRET_KEY_FILE: join(folder, 'none') }), [
      'SECRET_KEY cannot be read from the file that SECRET_KEY_FILE names',
    ]);
    assert.deepEqual(problemsOf({ SECRET_KEY_FILE: fileWith('short') }), [
      'SECRET_KEY must be 16 to 500 visible ASCII characters',
    ]);
  });

  test('the operator’s key is 24 to 200 visible ASCII characters, taken as it is', () => {
    for (const good of ['a'.repeat(24), 'a'.repeat(200), '!"#$%&\'()*+,-./0123456789:;<=>?@[]^_`{|}~'])
      assert.equal(loadConfig({ BOOTSTRAP_API_KEY: good }).BOOTSTRAP_API_KEY, good);
    for (const bad of ['a'.repeat(23), 'a'.repeat(201), `${'a'.repeat(24)} b`, 'ä'.repeat(24)])
      assert.equal(
        problemOf('BOOTSTRAP_API_KEY', bad),
        'BOOTSTRAP_API_KEY must be 24 to 200 visible ASCII characters',
      );
  });

  test('no message shows what a setting was set to', () => {
    const names = [...Object.keys(settings), ...secretNames.map((name) => `${name}_FILE`)];
    const canary = fc.string({ minLength: 12, maxLength: 40 }).map((text) => `CANARY${text}`);
    fc.assert(
      fc.property(fc.constantFrom(...names), canary, (name, value) => {
        const told = problemsOf({ [name]: value }).join('\n');
        assert.ok(!told.includes('CANARY'), told);
      }),
      { numRuns: 300 },
    );
  });
});
