// Every tool of the MCP server, by the protocol's own client against a real service.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { type FileSource, fileSource } from '../support/file-source.ts';
import { picture } from '../support/pictures.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';
import { type Assistant, assertFails, assertSucceeds, startAssistant } from './mcp-assistant.ts';

let pictures: DescribedPictures;
let account: Searcher;
let assistant: Assistant;
let web: FileSource;
let scratch: string;
before(async () => {
  pictures = await startDescribedPictures({ UPLOAD_ALLOW_PRIVATE: 'on' });
  account = await pictures.account();
  scratch = await mkdtemp(join(tmpdir(), 'tintype-mcp-'));
  const bytes = await picture(64, 48);
  web = await fileSource({ '/boats.jpg': (response) => response.end(bytes) });
  assistant = await startAssistant({ TINTYPE_URL: pictures.server.url, TINTYPE_KEY: account.api_key });
});
after(async () => {
  await assistant[Symbol.asyncDispose]();
  await pictures[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

async function fileWith(name: string, bytes: Buffer | string): Promise<string> {
  const path = join(scratch, name);
  await writeFile(path, bytes);
  return path;
}

const uploadsSent = (): number => pictures.logLines.filter((line) => line.includes('"path":"/upload')).length;

test('the tools say what they do, in every revision of the protocol', async () => {
  const environment = { TINTYPE_URL: pictures.server.url, TINTYPE_KEY: account.api_key };
  await using modern = await startAssistant(environment, { revision: { pin: '2026-07-28' } });
  const listed = await Promise.all([assistant.client.listTools(), modern.client.listTools()]);
  assert.deepEqual(listed[0].tools, listed[1].tools);
  const { tools } = listed[0];
  assert.deepEqual(
    tools.map(({ name }) => name),
    [
      'upload_object',
      'search_pictures',
      'list_objects',
      'get_object',
      'transform_image',
      'tag_objects',
      'delete_object',
      'list_tags_and_folders',
      'get_account',
    ],
  );
  for (const { name, title, description, inputSchema, annotations } of tools) {
    assert.ok(title && description && annotations, name);
    assert.equal(inputSchema.type, 'object');
    const isRead = /^(search|list|get)_/.test(name);
    assert.equal(annotations.readOnlyHint, isRead, name);
    if (!isRead) assert.equal(annotations.destructiveHint, ['tag_objects', 'delete_object'].includes(name));
    for (const [field, schema] of Object.entries(inputSchema.properties ?? {}))
      assert.ok((schema as { description?: string }).description, `${name} ${field}`);
  }
  assert.match(assistant.client.getInstructions() ?? '', /search_pictures/);
  assert.equal(assertSucceeds(await modern.call('get_account')).json.object_count, 0);
});

describe('uploads', () => {
  test('a file of this machine, with all that it is given', async () => {
    const path = await fileWith('boats at sea.jpg', await picture(120, 90));
    await symlink(path, join(scratch, 'link.jpg'));
    const fields = { tags: ['harbour', 'sea'], folder: 'trips/japan', object_id: 'boats' };
    const { text, json } = assertSucceeds(await assistant.call('upload_object', { path, ...fields }));
    assert.match(text, /^Uploaded boats at sea\.jpg \([\d.]+ KB\) as boats\./);
    assert.partialDeepStrictEqual(json, {
      object_id: 'boats',
      width: 120,
      tags: fields.tags,
      folder: fields.folder,
    });
    const again = await assistant.call('upload_object', {
      path: join(scratch, 'link.jpg'),
      object_id: 'boats',
    });
    assertFails(again, /^Object id already in use$/);
  });

  test('a large file in pieces, telling how far it is', async () => {
    const bytes = await picture(2300, 2300, 'png');
    assert.ok(bytes.length > 9 * 1024 * 1024);
    const path = await fileWith('large.png', bytes);
    const told: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void told.push(progress);
    const { json } = assertSucceeds(await assistant.call('upload_object', { path }, { onprogress }));
    assert.equal(json.width, 2300);
    assert.equal(told[0], 8 * 1024 * 1024, String(told));
    assertSucceeds(await assistant.call('delete_object', { object_id: json.object_id, confirm: true }));
  });

  test('a file from the web', async () => {
    const url = `${web.url}/boats.jpg`;
    const { json } = assertSucceeds(await assistant.call('upload_object', { url, object_id: 'from-web' }));
    assert.partialDeepStrictEqual(json, {
      object_id: 'from-web',
      original_file_name: 'boats.jpg',
      width: 64,
    });
    const missing = await assistant.call('upload_object', { url: `${web.url}/missing.jpg` });
    assertFails(missing, /^The file could not be fetched: the server answered 404$/);
  });

  test('nothing that is no picture leaves this machine', async () => {
    const before = uploadsSent();
    await mkdir(join(scratch, 'folder'));
    const cases: [Record<string, string>, RegExp][] = [
      [
        { path: await fileWith('id_rsa', '-----BEGIN OPENSSH PRIVATE KEY-----\n') },
        /not a supported image or video/,
      ],
      [{ path: await fileWith('fake.jpg', '<html>no picture</html>') }, /not a supported image or video/],
      [{ path: await fileWith('empty.jpg', '') }, /is empty/],
      [{ path: join(scratch, 'folder') }, /is not a regular file/],
      [{ path: '/dev/zero' }, /is not a regular file/],
      [{ path: join(scratch, 'none.jpg') }, /There is no file/],
      [{ path: 'boats.jpg' }, /not the whole path of a file/],
      [{}, /either path or url/],
      [{ path: '/a.jpg', url: 'http://example.com/a.jpg' }, /either path or url/],
    ];
    for (const [input, sentence] of cases)
      assertFails(await assistant.call('upload_object', input), sentence);
    assert.equal(uploadsSent(), before);
  });
});

describe('finding and looking', () => {
  before(async () => {
    const { body } = await account.send('GET', '/analysis/');
    await account.add('cat', 'A cat on a sofa.', { tags: 'pets,indoors', folder: 'home' });
    await account.add('dog', 'A dog on a beach.', { tags: 'pets' });
    await account.analysed((body.pictures as number) + 2);
  });

  test('search finds by description, shows what it found, and says when there is nothing', async () => {
    const query = { query: 'A cat on a sofa.', threshold: 0.9 };
    const { json, images } = assertSucceeds(
      await assistant.call('search_pictures', { ...query, thumbnails: true }),
    );
    assert.equal(json.length, 1);
    assert.partialDeepStrictEqual(json[0], { object_id: 'cat', caption: 'A cat on a sofa.' });
    assert.ok(json[0].similarity > 0.99);
    assert.match(json[0].object_url, /\/cat\/$/);
    assert.equal(images.length, 1);
    const { width, height, format } = await sharp(images[0]?.bytes).metadata();
    assert.deepEqual([width, height, format], [200, 200, 'webp']);

    const elsewhere = await assistant.call('search_pictures', { ...query, folder: 'garden' });
    assert.match(assertSucceeds(elsewhere).text, /Nothing is that similar \(threshold 0\.9\)/);
    const like = assertSucceeds(
      await assistant.call('search_pictures', { like: 'cat', tags: ['pets'], threshold: 0, limit: 1 }),
    );
    assert.equal(like.json[0].object_id, 'dog');
    assert.deepEqual(like.images, []);
    assertFails(await assistant.call('search_pictures', {}), /either query or like/);
    assertFails(
      await assistant.call('search_pictures', { query: 'x', threshold: 2 }),
      /Field "threshold" must be <= 1/,
    );
  });

  test('list pages through tags and folders', async () => {
    const first = assertSucceeds(
      await assistant.call('list_objects', { tags: ['pets'], limit: 1, thumbnails: true }),
    );
    assert.deepEqual([first.json.total, first.json.objects[0].object_id, first.images.length], [2, 'dog', 1]);
    const cursor = first.json.next_cursor;
    const second = assertSucceeds(await assistant.call('list_objects', { tags: ['pets'], limit: 1, cursor }));
    assert.equal(second.json.objects[0].object_id, 'cat');
    const all = assertSucceeds(await assistant.call('list_objects', { tags: ['pets'] }));
    assert.deepEqual([all.json.objects.length, all.json.next_cursor], [2, null]);
    const videos = assertSucceeds(await assistant.call('list_objects', { type: 'video' }));
    assert.deepEqual(videos.json.objects, []);
    assertFails(await assistant.call('list_objects', { type: 'sound' }), /Field "type" .*image, video/);
    const names = assertSucceeds(await assistant.call('list_tags_and_folders'));
    assert.deepEqual(names.json.tags.names[0], { name: 'pets', count: 2 });
    assert.ok(names.json.folders.names.some(({ name }: { name: string }) => name === 'home'));
  });

  test('get tells and shows one object, also where only thumbnails are allowed', async () => {
    const { json, images } = assertSucceeds(await assistant.call('get_object', { object_id: 'boats' }));
    assert.partialDeepStrictEqual(json, { object_id: 'boats', width: 120, height: 90, type: 'image/jpeg' });
    assert.equal((await sharp(images[0]?.bytes).metadata()).width, 120, 'never enlarged');
    const plain = assertSucceeds(await assistant.call('get_object', { object_id: 'boats', preview: false }));
    assert.deepEqual(plain.images, []);

    await account.configure({ transform_policy: 'presets' });
    const thumbnail = assertSucceeds(await assistant.call('get_object', { object_id: 'dog' }));
    assert.equal((await sharp(thumbnail.images[0]?.bytes).metadata()).width, 200);
    await account.configure({ transform_policy: 'open' });
    assertFails(await assistant.call('get_object', { object_id: 'nobody' }), /^Object not found$/);
    assertFails(await assistant.call('get_object', {}), /Field "object_id" is required/);
  });
});

describe('changing', () => {
  test('transform makes the variant, tells its size and shows it', async () => {
    const asked = {
      object_id: 'boats',
      width: 60,
      height: 60,
      fit: 'cover',
      grayscale: true,
      tokens: 'sepia',
    };
    const { json, images } = assertSucceeds(
      await assistant.call('transform_image', { ...asked, format: 'png', show: true }),
    );
    assert.partialDeepStrictEqual(json, { width: 60, height: 60, type: 'image/png' });
    const response = await fetch(json.url);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.ok(Math.abs(bytes.length / 1024 - json.size_kb) < 0.01);
    assert.deepEqual(images[0]?.bytes, bytes);

    const converted = assertSucceeds(await assistant.call('transform_image', { object_id: 'boats' }));
    assert.match(converted.json.url, /\/boats\/original\.webp$/);
    const avif = { object_id: 'boats', width: 30, format: 'avif', show: true };
    const unseen = assertSucceeds(await assistant.call('transform_image', avif));
    assert.match(unseen.text, /cannot be shown here: it is image\/avif/);
    const wrong: [object, RegExp][] = [
      [{ width: 0 }, /Field "width" must be >= 1/],
      [{ tokens: 'shiny' }, /shiny/],
      [{ tokens: 'a/../b' }, /Field "tokens" must match pattern/],
      [{ brightest: true }, /Field "brightest" is not known/],
    ];
    for (const [input, sentence] of wrong)
      assertFails(await assistant.call('transform_image', { object_id: 'boats', ...input }), sentence);
  });

  test('every way to say how a picture is to look is understood by the service', async () => {
    const looks = {
      width: 50,
      height: 40,
      fit: 'contain',
      gravity: 'top-left',
      crop: [10, 10, 80, 60],
      quality: 70,
      rotate: 90,
      flip: 'h',
      blur: 2,
      sharpen: 3,
      brightness: -10,
      contrast: 12,
      saturation: 20,
      grayscale: true,
      background: '#ff0000',
      round_corners: 8192,
    };
    for (const [name, value] of Object.entries(looks))
      assertSucceeds(await assistant.call('transform_image', { object_id: 'boats', [name]: value }));
    assertSucceeds(await assistant.call('transform_image', { object_id: 'boats', ...looks }));
  });

  test('tags are added, removed and replaced', async () => {
    const tagsOf = async (id: string) => (await account.get(`/get/${id}`)).body.tags as string[];
    const change = (action: string, tags: string[], ids = ['boats', 'from-web']) =>
      assistant.call('tag_objects', { object_ids: ids, action, tags });
    assert.equal(assertSucceeds(await change('add', ['new', 'sea'])).text, 'Changed 2 of 2.');
    assert.deepEqual(await tagsOf('boats'), ['harbour', 'sea', 'new']);
    assertSucceeds(await change('remove', ['sea']));
    assert.deepEqual(await tagsOf('from-web'), ['new']);
    const mixed = assertSucceeds(await change('replace', ['only'], ['boats', 'nobody']));
    assert.match(mixed.text, /^Changed 1 of 2\./);
    assert.deepEqual(mixed.json, [{ object_id: 'nobody', status: 'error', error: 'Object not found' }]);
    assert.deepEqual(await tagsOf('boats'), ['only']);
    assertFails(await change('add', ['x'], ['nobody']), /^nobody: Object not found$/);
    assertFails(await change('add', ['a,b']), /comma/);
    assertFails(await change('polish', ['x']), /Field "action" .*add, remove, replace/);
  });

  test('delete wants to be told twice, and says what is gone', async () => {
    const asked = await assistant.call('delete_object', { object_id: 'from-web' });
    assertFails(
      asked,
      /^Nothing was deleted\. This would delete from-web: boats\.jpg \(image\/jpeg, [\d.]+ \w+\) for good/,
    );
    assert.equal((await account.get('/get/from-web')).status, 200);
    const gone = assertSucceeds(
      await assistant.call('delete_object', { object_id: 'from-web', confirm: true }),
    );
    assert.match(gone.text, /^Deleted from-web: boats\.jpg/);
    assert.equal((await account.get('/get/from-web')).status, 404);
    assertFails(
      await assistant.call('delete_object', { object_id: 'from-web', confirm: true }),
      /^Object not found$/,
    );
  });

  test('the account tells its use and limits', async () => {
    const { json } = assertSucceeds(await assistant.call('get_account'));
    assert.partialDeepStrictEqual(json, { tier: 'enterprise', object_count: 3, storage_limit_kb: null });
    assert.equal(json.search.enabled, true);
    assert.ok(json.storage_used_kb > 0);
  });
});
