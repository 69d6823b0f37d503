// Films of every kind through the real workers: what is read of them, what is shown, and what goes beside a stream.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import sharp from 'sharp';
import { openFilmStudio, sumOf } from '../../../test/support/film-studio.ts';
import type { FilmStudio } from '../../../test/support/film-studio.ts';
import type { Container, FilmOptions } from '../../../test/support/films.ts';
import { readMaster, readTrack } from '../../../test/support/streams.ts';
import type { FilmFile, StreamFolder } from '../film.ts';

suite('the film workers', { concurrency: false }, () => {
  let studio: FilmStudio;
  before(async () => void (studio = await openFilmStudio()));
  after(() => studio[Symbol.asyncDispose]());

  /** In tenths, which is as exact as containers are. */
  const tenths = (ms: number): number => Math.round(ms / 100);

  test('reads every container, and shows its poster as displayed', async () => {
    const codecs: [Container, string, string][] = [
      ...(['mp4', 'm4v', 'mov', '3gp', 'mkv', 'ts', 'flv'] as const).map(
        (container): [Container, string, string] => [container, 'h264', 'aac'],
      ),
      ['avi', 'mpeg4', 'mp3'],
      ['webm', 'vp9', 'opus'],
      ['mpeg', 'mpeg2video', 'mp2'],
      ['wmv', 'wmv2', 'wmav2'],
      ['ogg', 'theora', 'vorbis'],
    ];
    for (const [container, videoCodec, audioCodec] of codecs) {
      const { facts, poster, film } = await studio.probed({ container, seconds: 1 });
      const { durationMs, bitRate, ...rest } = facts;
      const expected = { width: 320, height: 180, rotation: 0, frameRate: 25, videoCodec, audioCodec };
      assert.deepEqual(rest, expected, container);
      assert.ok(Math.abs(tenths(durationMs) - 10) <= 1, `${container} lasts ${durationMs} ms`);
      assert.ok(Math.abs(bitRate / ((readFileSync(film.path).length * 8000) / durationMs) - 1) < 0.01);
      const { width, height, format } = await sharp(poster).metadata();
      assert.deepEqual([width, height, format], [320, 180, 'jpeg'], container);
    }
  });

  test('turned films are shown, measured and encoded upright', async () => {
    // Red above and blue below as coded: where the red is tells which way it was turned.
    const picture = 'gradients=type=linear:c0=red:c1=blue:nb_colors=2:x0=0:y0=0:x1=0:y1=179:speed=0.00001';
    const places = { 90: 'right', 180: 'below', 270: 'left' } as const;
    for (const rotation of [90, 180, 270] as const) {
      const source = await studio.probed({ rotation, picture, seconds: 1 });
      const size = rotation === 180 ? [320, 180] : [180, 320];
      assert.deepEqual([source.facts.width, source.facts.height], size);
      assert.equal(source.facts.rotation, rotation);
      assert.equal(await placeOfRed(source.poster), places[rotation]);
      const { at, stream } = await studio.transcoded(source);
      const { parameters } = readTrack(at, readMaster(at).pictures[0]!);
      assert.deepEqual([parameters['width'], parameters['height']], size);
      const still = `${source.film.path}-still.jpg`;
      const rung = wholeRung(at, stream, `${source.film.path}-rung`);
      await studio.workers.still(rung, { atMs: 0, outputPath: still });
      assert.equal(await placeOfRed(still), places[rotation], `encoded, turned by ${rotation}`);
    }
  });

  test('a still is the frame shown at its moment, the last one after the end', async () => {
    for (const container of ['mp4', 'ts', 'webm'] as const) {
      // It gets lighter with every second.
      const picture = `color=black,geq=lum='40+60*floor(T)':cb=128:cr=128`;
      const { film } = await studio.probed({ container, picture, seconds: 3, startSeconds: 2, gop: 200 });
      const lightness = await Promise.all(
        [500, 1500, 2500, 99_000].map(async (atMs) => {
          const outputPath = `${film.path}-${atMs}.jpg`;
          await studio.workers.still(film, { atMs, outputPath });
          const { channels } = await sharp(outputPath).greyscale().stats();
          return Math.round((channels[0]!.mean * (219 / 255) + 16 - 40) / 60);
        }),
      );
      assert.deepEqual(lightness, [0, 1, 2, 2], container);
    }
  });

  test('a poster is not a dark beginning', async () => {
    const picture = `color=black,geq=lum='if(lt(T,0.6),16,180)':cb=128:cr=128`;
    const { poster } = await studio.probed({ picture, seconds: 2, gop: 100 });
    const { channels } = await sharp(poster).greyscale().stats();
    assert.ok(channels[0]!.mean > 150, `the mean is ${channels[0]!.mean}`);
  });

  test('cuts what browsers play as it is, and nothing else', async () => {
    const playable: FilmOptions[] = [
      { seconds: 6, gop: 50, encoderOptions: { preset: 'veryfast' } },
      { container: 'mkv', startSeconds: 3, seconds: 1 },
      { container: 'flv', seconds: 1 },
      { audio: false, seconds: 1 },
    ];
    for (const options of playable) {
      const { film, facts } = await studio.probed(options);
      const at = `${film.path}-remux`;
      const stream = await studio.workers.remux(film, { facts, folder: at });
      assert.ok(stream !== null, JSON.stringify(options));
      const { pictures } = readMaster(at);
      const { frames, durations } = readTrack(at, pictures[0]!);
      assert.deepEqual(pictures, ['180p.m3u8']);
      assert.equal(frames.length, (options.seconds ?? 0) * 25);
      assert.equal(frames[0], 0);
      assert.ok(Math.abs(sumOf(durations) - (options.seconds ?? 0)) < 0.05);
    }
    const others: FilmOptions[] = [
      { rotation: 90 },
      { videoCodec: 'mpeg4' },
      { audio: 'libmp3lame' },
      { pixelFormat: 'yuv444p' },
      { pixelAspect: '4/3' },
      { seconds: 9, gop: 1000 },
      { seconds: 1, audioSeconds: 5 },
      { interlaced: true, encoderOptions: { 'x264-params': 'interlaced=1' } },
      { container: 'webm' },
    ];
    for (const options of others) {
      const { film, facts } = await studio.probed({ seconds: 1, ...options });
      const at = `${film.path}-remux`;
      assert.equal(await studio.workers.remux(film, { facts, folder: at }), null, JSON.stringify(options));
      assert.ok(!existsSync(at), 'nothing is left');
    }
  });

  test('a film to download and a storyboard go beside the stream', async () => {
    for (const [options, isOwn] of [
      [{ seconds: 3, rotation: 90 }, true],
      [{ seconds: 3, container: 'webm' }, false],
    ] as const) {
      const source = await studio.probed(options);
      const { at, stream } = await studio.transcoded(source);
      const extras = `${source.film.path}-extras`;
      await studio.workers.extras(source.film, {
        facts: source.facts,
        streamFolder: at,
        stream,
        folder: extras,
      });
      assert.deepEqual((await readdir(extras)).toSorted(), [
        'original.mp4',
        'storyboard.jpg',
        'storyboard.vtt',
      ]);
      const mp4: FilmFile = { path: join(extras, 'original.mp4'), type: 'video/mp4' };
      const head = readFileSync(mp4.path);
      assert.ok(head.indexOf('moov') < head.indexOf('mdat'), 'it begins to play before it is loaded');
      const facts = await studio.workers.probe(mp4, { posterPath: `${mp4.path}.jpg` });
      const { videoCodec, audioCodec, rotation, width, height } = facts;
      assert.deepEqual([videoCodec, audioCodec, rotation], ['h264', 'aac', isOwn ? 90 : 0]);
      assert.deepEqual([width, height], [source.facts.width, source.facts.height]);
      assert.equal(tenths(facts.durationMs), 30);
      const vtt = readFileSync(join(extras, 'storyboard.vtt'), 'utf8');
      assert.equal(vtt.match(/storyboard\.jpg#xywh=/g)?.length, Math.ceil(source.facts.durationMs / 1000));
      const board = await sharp(join(extras, 'storyboard.jpg')).metadata();
      assert.equal(board.width, 160 * Math.ceil(source.facts.durationMs / 1000));
    }
  });
});

async function placeOfRed(path: string): Promise<string> {
  const { data } = await sharp(path)
    .resize(3, 3, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const redness = (x: number, y: number): number => data[(y * 3 + x) * 3]! - data[(y * 3 + x) * 3 + 2]!;
  const places = { above: redness(1, 0), below: redness(1, 2), left: redness(0, 1), right: redness(2, 1) };
  return Object.entries(places).toSorted(([, one], [, other]) => other - one)[0]![0];
}

function wholeRung(at: string, stream: StreamFolder, path: string): FilmFile {
  const { name } = stream.renditions[0]!;
  const parts = stream.files.filter((file) => file.startsWith(`${name}/`));
  writeFileSync(path, Buffer.concat(parts.map((file) => readFileSync(join(at, file)))));
  return { path, type: 'video/mp4' };
}
