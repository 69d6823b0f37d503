import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, loadServiceAccess } from './config.ts';

test('a service is named by its address and key, and nothing else of the environment matters', () => {
  assert.deepEqual(loadServiceAccess({ PORT: 'not a port', FILE_STORE: 'x' }), {
    url: undefined,
    key: undefined,
  });
  const named = { TINTYPE_URL: 'https://media.example.com/', TINTYPE_KEY: ' tt_something ' };
  assert.deepEqual(loadServiceAccess(named), { url: 'https://media.example.com', key: 'tt_something' });
  const folder = mkdtempSync(join(tmpdir(), 'tintype-access-'));
  const file = join(folder, 'key');
  writeFileSync(file, 'tt_from_a_file\n');
  assert.equal(loadServiceAccess({ TINTYPE_KEY_FILE: file }).key, 'tt_from_a_file');
  rmSync(folder, { recursive: true });
  assert.throws(
    () => loadServiceAccess({ TINTYPE_URL: 'media.example.com', TINTYPE_KEY: 'short' }),
    (error: ConfigError) => error instanceof ConfigError && error.problems.length === 2,
  );
});
