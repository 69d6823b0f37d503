import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';

/** Which folders of src each may import from, besides itself, and who may use our own client. Files directly in src put everything together. */
const mayImport: Record<string, string[]> = {
  lib: [],
  platform: ['lib'],
  events: ['platform', 'lib'],
  accounts: ['events', 'platform', 'lib'],
  objects: ['accounts', 'events', 'platform', 'lib'],
  images: ['objects', 'accounts', 'events', 'platform', 'lib'],
  videos: ['objects', 'accounts', 'events', 'platform', 'lib'],
  search: ['objects', 'accounts', 'events', 'platform', 'lib'],
  delivery: ['videos', 'images', 'objects', 'accounts', 'events', 'platform', 'lib'],
  importing: ['client', 'objects', 'accounts', 'events', 'platform', 'lib'],
  mcp: ['client', 'platform', 'lib'],
  keeping: ['search', 'videos', 'images', 'objects', 'accounts', 'events', 'platform', 'lib'],
};

test('every folder imports only from those below it', () => {
  const broken: string[] = [];
  for (const file of globSync('src/**/*.ts').map(normalize)) {
    const [, folder = '', ...rest] = file.split('/');
    if (rest.length === 0 || folder === 'cli' || file.endsWith('.test.ts')) continue;
    assert.ok(mayImport[folder], `${file} is in a folder the rule does not know`);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const [root = '', imported = '', ...deeper] = join(file, '..', target).split('/');
      const from = root === 'src' && deeper.length > 0 ? imported : root;
      if (from !== folder && !mayImport[folder]?.includes(from)) broken.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('settings are read from the environment in one place', () => {
  const readers = globSync('src/**/*.ts').filter(
    (file) => !file.endsWith('.test.ts') && /process\.env\b/.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(readers.map(normalize), ['src/main.ts']);
});
