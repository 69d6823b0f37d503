// Films in a service of several processes: one of them looks into them, all of them show the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Clustered } from '../support/clustered.ts';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';

const looks = 30;
let service: Clustered;
before(async () => {
  service = await Clustered.start();
});
after(() => service.end());

/** On connections of their own, so that every process is among those that answer. */
async function answersOf(path: string): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: looks }, () => service.get(path)));
  return [...new Set(answers.map(({ status, bytes }) => `${status} ${bytes.toString('base64')}`))];
}

test('its poster, its moments, its stream and its end are the same everywhere', async () => {
  const path = await service.upload(makeFilm({ seconds: 2 }), 'film');
  for (const name of ['original.webp', 't-1_w-100.webp', 't-1_w-100.webp']) {
    const answers = await answersOf(path + name);
    assert.equal(answers.length, 1, name);
    assert.match(answers[0] as string, /^200 /);
  }
  await eventually(async () => {
    const { status } = await service.call('GET', '/get/vid-film/');
    assert.equal(status, 'ready');
  }, 60_000);
  const playlists = await answersOf(`${path}original.m3u8`);
  assert.equal(playlists.length, 1);
  assert.match(playlists[0] as string, /^200 /);
  await service.call('DELETE', '/delete/vid-film/');
  for (const name of ['original.m3u8', 't-1_w-100.webp', 'original'])
    assert.deepEqual(
      (await answersOf(path + name)).map((answer) => answer.slice(0, 3)),
      ['404'],
      name,
    );
});
