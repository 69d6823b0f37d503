import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('an upload answers with exactly the fields of an image, and its addresses work', async () => {
  const file = await picture(320, 200);
  const { status, body } = await server.upload(
    file,
    { tags: ' a, b ,,a', folder: '/trips/2026/' },
    { fileName: 'C:\\x\\Sea side.jpg' },
  );
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), [
    'folder',
    'height',
    'object_id',
    'object_url',
    'optimised',
    'original',
    'original_file_name',
    'size',
    'tags',
    'type',
    'width',
  ]);
  assert.match(body.object_id, /^[0-9a-f]{12}$/);
  assert.deepEqual(body.tags, ['a', 'b']);
  assert.equal(body.folder, 'trips/2026');
  assert.equal(body.original_file_name, 'Sea side.jpg');
  assert.equal(body.size, Math.round((file.length / 1024) * 100) / 100);
  assert.deepEqual([body.type, body.width, body.height], ['image/jpeg', 320, 200]);
  const original = await server.call(body.original, { key: null });
  assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
  const optimised = await server.call(body.optimised, { key: null });
  assert.equal(optimised.headers.get('content-type'), 'image/webp');
});
