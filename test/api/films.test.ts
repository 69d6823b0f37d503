import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { newAccount, sendJson } from '../support/accounts.ts';
import { assertConsistent, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { addressesIn, untilStatus, uploadFilm } from '../support/film-server.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

const film = makeFilm({ seconds: 2, width: 320, height: 180, gop: 25 });

describe('films', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('an upload answers at once with exactly the fields of a video', async () => {
    const body = await uploadFilm(server, film, { tags: 'a,b', folder: 'trips' }, { fileName: 'sea.avi' });
    assert.deepEqual(Object.keys(body).sort(), [
      'folder',
      'object_id',
      'object_url',
      'original',
      'original_file_name',
      'size',
      'tags',
      'type',
      'video_url',
    ]);
    assert.match(body.object_id, /^vid-[0-9a-f]{12}$/);
    assert.equal(body.video_url, `${body.object_url}original.m3u8`);
    assert.equal(body.type, 'video/mp4', 'by its bytes, not by its name');
    assert.equal(body.size, Math.round((film.length / 1024) * 100) / 100);
    const original = await server.call(body.original, { key: null });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), film);
    assert.equal(original.headers.get('content-type'), 'video/mp4');
    const listed = await server.json('/get/?type=video&view=full');
    assert.ok(listed.body.items.some((item: any) => item.object_id === body.object_id));
  });

  test('its pictures are there when the answer is', async () => {
    const { object_url: url } = await uploadFilm(server, film);
    for (const [name, width, height, format] of [
      ['original.webp', 320, 180, 'webp'],
      ['h-200_w-200.webp', 200, 200, 'webp'],
      ['t-1.5_w-160.png', 160, 90, 'png'],
      ['t-99.jpg', 320, 180, 'jpeg'],
    ] as const) {
      const answer = await server.call(`${url}${name}`, { key: null });
      assert.equal(answer.status, 200, name);
      const facts = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      assert.deepEqual([facts.width, facts.height, facts.format], [width, height, format], name);
    }
    const { body } = await server.json(`${url}original.json`, { key: null });
    assert.deepEqual([body.width, body.height, body.type], [320, 180, 'video/mp4']);
    assert.ok(body.thumbhash);
  });

  test('different moments are different pictures', async () => {
    const colours = makeFilm({ seconds: 2, picture: 'testsrc2' });
    const { object_url: url } = await uploadFilm(server, colours);
    const stills = await Promise.all(
      ['t-0', 't-0.5', 't-1', 't-1.9'].map(async (moment) =>
        Buffer.from(await (await server.call(`${url}${moment}.png`)).arrayBuffer()).toString('base64'),
      ),
    );
    assert.equal(new Set(stills).size, 4);
  });

  test('it becomes ready, and everything its playlist names can be fetched', async () => {
    const { object_id: id, video_url: url, object_url: base } = await uploadFilm(server, film);
    const details = await untilStatus(server, id);
    assert.equal(details.progress, 100);
    assert.equal(details.duration, 2);
    assert.deepEqual([details.width, details.height], [320, 180]);
    assert.equal(details.renditions.length, 1);
    const master = await server.call(url, { key: null });
    assert.equal(master.status, 200);
    assert.equal(master.headers.get('content-type'), 'application/vnd.apple.mpegurl');
    assert.equal(master.headers.get('access-control-allow-origin'), '*');
    assert.equal(master.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const playlists = addressesIn(await master.text(), url);
    assert.ok(playlists.length >= 1);
    for (const playlist of playlists) {
      assert.ok(playlist.startsWith(`${base}stream/`), playlist);
      const segments = addressesIn(await (await server.call(playlist, { key: null })).text(), playlist);
      assert.ok(segments.length >= 2);
      for (const segment of segments) {
        const answer = await server.call(segment, { key: null });
        assert.equal(answer.status, 200, segment);
        assert.match(String(answer.headers.get('etag')), /^"[0-9a-f]{32}"$/);
        const part = await server.call(segment, { key: null, headers: { Range: 'bytes=0-9' } });
        assert.equal(part.status, 206);
        assert.equal((await part.arrayBuffer()).byteLength, 10);
      }
    }
    assertError(await server.json(`${playlists[0]}x`, { key: null }), 404);
    assertError(await server.json(`${base}stream/0123456789ab/files.json`, { key: null }), 404);
  });

  test('the MP4 and the storyboard are beside it', async () => {
    const { object_id: id, object_url: url } = await uploadFilm(server, film);
    await untilStatus(server, id);
    const mp4 = await server.call(`${url}original.mp4`, { key: null });
    assert.equal(mp4.status, 200);
    assert.equal(mp4.headers.get('content-type'), 'video/mp4');
    assert.equal(Buffer.from(await mp4.arrayBuffer()).toString('latin1', 4, 8), 'ftyp');
    const cues = await (await server.call(`${url}storyboard.vtt`, { key: null })).text();
    assert.match(cues, /^WEBVTT/);
    const sprite = /^(storyboard\.\w+)#xywh=\d+,\d+,\d+,\d+$/m.exec(cues)?.[1];
    assert.ok(sprite, cues);
    assert.equal((await server.call(`${url}${sprite}`, { key: null })).status, 200);
  });

  test('ids: prefixed once, unique, and never those of pictures', async () => {
    const first = await uploadFilm(server, film, { object: 'holiday' });
    assert.equal(first.object_id, 'vid-holiday');
    const again = await server.upload(film, { object: 'vid-holiday' });
    assert.deepEqual([again.status, again.body.error], [409, 'Object id already in use']);
    const second = await uploadFilm(server, film, { object: 'vid-other' });
    assert.equal(second.object_id, 'vid-other');
    const long = await server.upload(film, { object: 'x'.repeat(128) });
    assert.deepEqual([long.status, long.body.error], [400, 'Invalid object id']);
    const image = await server.upload(await picture(8, 8), { object: 'vid-picture' });
    assert.equal(image.status, 400);
  });

  test('films count in minutes, exactly, and deletion gives them back', async () => {
    const { api_key: key } = await newAccount(server, { tier: 'free', video_minutes_limit: 5 / 60 });
    const first = await uploadFilm(server, film, {}, { key });
    await uploadFilm(server, film, {}, { key });
    const over = await leavesNothing(server, () => server.upload(film, {}, { key }));
    assert.deepEqual([over.status, over.body.error], [403, 'Video limit exceeded']);
    const used = async (): Promise<[number, number]> => {
      const { body } = await server.json('/user/', { key });
      return [Math.round(body.video_minutes_used * 60), body.storage_used];
    };
    assert.deepEqual(await used(), [4, 0]);
    await server.json(`/delete/${first.object_id}`, { method: 'DELETE', key });
    assert.deepEqual(await used(), [2, 0]);
    await uploadFilm(server, film, {}, { key });
    assert.deepEqual(await used(), [4, 0]);
  });

  test('of many at once exactly those fit that the minutes allow', async () => {
    const { api_key: key } = await newAccount(server, { tier: 'free', video_minutes_limit: 9 / 60 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => server.upload(film, {}, { key })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [...Array<number>(4).fill(200), ...Array<number>(8).fill(403)]);
    const { body } = await server.json('/user/', { key });
    assert.deepEqual([Math.round(body.video_minutes_used * 60), body.object_count], [8, 4]);
    await eventually(() => assertConsistent(server), 20_000);
  });

  test('deletion while it is processed leaves nothing', async () => {
    const long = makeFilm({ container: 'avi', seconds: 8, width: 640, height: 360 });
    const { object_id: id, video_url: url } = await uploadFilm(server, long);
    await eventually(async () => {
      const { body } = await server.json(`/get/${id}`);
      assert.ok(body.status === 'processing' && body.progress > 0, JSON.stringify(body));
    }, 20_000);
    await server.json(`/delete/${id}`, { method: 'DELETE' });
    assertError(await server.json(url, { key: null }), 404);
    await eventually(() => assertConsistent(server), 20_000);
    await eventually(async () => assert.deepEqual(await readdir(join(server.dataDir, 'transcoding')), []));
  });

  test('who plays the early stream can play it on when the ladder has replaced it', async () => {
    const tall = makeFilm({ container: 'avi', seconds: 3, width: 960, height: 720 });
    const { object_id: id, video_url: url } = await uploadFilm(server, tall);
    const early = await eventually(async () => {
      const answer = await server.call(url, { key: null });
      assert.equal(answer.status, 200);
      return answer;
    }, 20_000);
    assert.equal(early.headers.get('cache-control'), 'public, max-age=2');
    const before = addressesIn(await early.text(), url);
    assert.equal((await server.json(`/get/${id}`)).body.status, 'processing', 'before it is ready');
    assert.equal((await untilStatus(server, id)).renditions.length, 2);
    const after = addressesIn(await (await server.call(url, { key: null })).text(), url);
    assert.deepEqual(
      after.filter((address) => before.includes(address)),
      [],
    );
    for (const playlist of [...before, ...after])
      for (const segment of addressesIn(await (await server.call(playlist)).text(), playlist))
        assert.equal((await server.call(segment, { key: null })).status, 200, segment);
  });

  test('policies concern its pictures; what plays is as open as its original', async () => {
    const { api_key: key } = await newAccount(server);
    const { object_id: id, object_url: url } = await uploadFilm(server, film, {}, { key });
    await untilStatus(server, id, 'ready', { key });
    for (const policy of ['presets', 'signed']) {
      await server.json('/user/', { ...sendJson('PATCH', { transform_policy: policy }), key });
      for (const name of ['original', 'original.webp', 'original.m3u8', 'original.mp4', 'storyboard.vtt'])
        assert.equal((await server.call(url + name, { key: null })).status, 200, `${policy} ${name}`);
      assertError(await server.json(`${url}t-1_w-50.webp`, { key: null }), 403);
    }
  });
});

test('a playlist that is not there yet says so, and is not remembered', async () => {
  await using server = await startServer({}, { runJobs: false });
  const { video_url: url, object_url: base } = await uploadFilm(server, film);
  for (const address of [url, `${base}original.mp4`, `${base}storyboard.vtt`]) {
    const { status, body, headers } = await server.json(address, { key: null });
    assert.deepEqual([status, body], [404, { error: 'Video is still processing' }], address);
    assert.equal(headers.get('retry-after'), '3');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
});
