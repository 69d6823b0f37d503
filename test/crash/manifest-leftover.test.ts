// A manifest that was written while its object was being deleted, by a process that then died, must not stay: a database
// made again from manifests would bring the object back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manifestHandlers, manifestJob } from '../../src/objects/manifests.ts';
import { manifestKey } from '../../src/objects/object-keys.ts';
import { startServer } from '../support/server.ts';

test('the run that follows such a death takes the manifest away', async () => {
  await using server = await startServer({}, { runJobs: false });
  const { database, stores } = server.app.core;
  const place = { backend: 'files', bucket_id: '0123456789abcdef', generation: '0'.repeat(24) } as const;
  const key = manifestKey(place.bucket_id, place.generation);
  await stores.files.put(key, Buffer.from('{}'));
  const handler = manifestHandlers(database, stores)['object-manifest'];
  const context = { signal: new AbortController().signal, attempt: 2 };
  await handler?.run(manifestJob(place).payload as never, context);
  assert.equal(await stores.files.head(key), null);
});
