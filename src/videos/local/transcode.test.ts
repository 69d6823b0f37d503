// What the encoded streams hold: frames, moments, colours and sound of films of every kind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../../test/support/eventually.ts';
import { openFilmStudio, sumOf } from '../../../test/support/film-studio.ts';
import type { FilmStudio } from '../../../test/support/film-studio.ts';
import type { FilmOptions } from '../../../test/support/films.ts';
import { readMaster, readTrack } from '../../../test/support/streams.ts';
import { ladderOf } from './ladder.ts';
import type { Rung } from './ladder.ts';

suite('encoded streams', { concurrency: false }, () => {
  let studio: FilmStudio;
  before(async () => void (studio = await openFilmStudio()));
  after(() => studio[Symbol.asyncDispose]());

  test('segments of all rungs begin at the same moments, and times are exact', async () => {
    const source = await studio.probed({
      seconds: 9,
      variable: true,
      frameRate: 10,
      width: 640,
      height: 480,
      gop: 31,
    });
    const rungs: Rung[] = [480, 240].map((side) => ({
      name: `${side}p`,
      width: (side * 4) / 3,
      height: side,
      maxBitRate: 500_000,
    }));
    const { at, stream } = await studio.transcoded(source, rungs);
    const { text, pictures, sound } = readMaster(at);
    assert.deepEqual(pictures, ['480p.m3u8', '240p.m3u8']);
    const [large, small] = pictures.map((playlist) => readTrack(at, playlist));
    const begins = (track: typeof large): number[] =>
      track!.durations.map((_, index) => sumOf(track!.durations.slice(0, index)));
    assert.deepEqual(begins(large), begins(small));
    assert.equal(large!.durations.length, 3);
    for (const track of [large, small]) {
      for (const begin of begins(track))
        assert.ok(
          track!.packets.some(({ seconds, keyframe }) => keyframe && Math.abs(seconds - begin) < 0.0001),
          `no keyframe at ${begin}`,
        );
      assert.equal(track!.frames.length, 90);
      assert.deepEqual(rounded(track!.frames.slice(0, 4)), [0, 0.15, 0.2, 0.3]);
    }
    const heard = readTrack(at, sound!);
    assert.ok(Math.abs(sumOf(heard.durations) - 9) < 0.06 && Math.abs(sumOf(large!.durations) - 9) < 0.06);
    assert.ok(heard.packets[0]!.seconds <= 0 && heard.packets[0]!.seconds > -0.03);
    assert.match(text, /CODECS="avc1\.6400[0-9a-f]{2},mp4a\.40\.2"/);
    assert.deepEqual(stream.files.toSorted(), (await filesBelow(at)).toSorted());
    assert.deepEqual(
      stream.renditions.map(({ name, width, height }) => [name, width, height]),
      rungs.map(({ name, width, height }) => [name, width, height]),
    );
    assert.match(text, new RegExp(`BANDWIDTH=${stream.renditions[0]!.bandwidth},`));
  });

  const oddities: Record<
    string,
    [FilmOptions, { frames: number; size?: [number, number]; silent?: boolean }]
  > = {
    'one frame without sound': [
      { seconds: 1, frameRate: 1, audio: false },
      { frames: 1, silent: true },
    ],
    'odd sizes and full colour': [
      { width: 321, height: 181, pixelFormat: 'yuv444p', seconds: 1 },
      { frames: 25, size: [322, 182] },
    ],
    'a late beginning': [{ container: 'mkv', startSeconds: 7, seconds: 1 }, { frames: 25 }],
    'sound that ends early': [{ seconds: 2, audioSeconds: 0.5 }, { frames: 50 }],
    'sound that goes on': [{ seconds: 1, audioSeconds: 9 }, { frames: 105 }],
    'long stills': [{ seconds: 10, frameRate: 1 }, { frames: 100 }],
    'pixels that are not square': [
      { pixelAspect: '4/3', seconds: 1 },
      { frames: 25, size: [428, 180] },
    ],
    'a hundred frames a second': [{ frameRate: 100, seconds: 1 }, { frames: 60 }],
    'fields instead of frames': [
      { container: 'ts', videoCodec: 'mpeg2video', interlaced: true, seconds: 1 },
      { frames: 25 },
    ],
    'colours in red, green and blue': [
      { container: 'mov', videoCodec: 'png', pixelFormat: 'rgb24', seconds: 1 },
      { frames: 25 },
    ],
  };
  for (const [name, [options, expected]] of Object.entries(oddities)) {
    test(`encodes ${name}`, async () => {
      const source = await studio.probed(options);
      const { at } = await studio.transcoded(source);
      const { pictures, sound } = readMaster(at);
      const { frames, parameters, durations } = readTrack(at, pictures[0]!);
      assert.equal(frames.length, expected.frames);
      assert.equal(frames[0], 0);
      assert.deepEqual([parameters['width'], parameters['height']], expected.size ?? [320, 180]);
      assert.equal(sound === null, expected.silent ?? false);
      const seconds = source.facts.durationMs / 1000;
      if (sound !== null) assert.ok(sumOf(readTrack(at, sound).durations) >= seconds - 0.05);
      assert.ok(sumOf(durations) <= seconds + 0.1);
    });
  }

  for (const [hdr, least, most] of [
    ['smpte2084', 140, 185],
    ['arib-std-b67', 110, 150],
  ] as const) {
    test(`brings ${hdr} to ordinary screens`, async () => {
      // Half the signal: 92 candelas by the first transfer, which left as it is would show as 128.
      const source = await studio.probed({ hdr, seconds: 1, picture: 'color=0x808080' });
      const { channels } = await sharp(source.poster).greyscale().stats();
      const lightness = channels[0]!.mean;
      assert.ok(lightness > least && lightness < most, `the grey became ${lightness}`);
      const { at } = await studio.transcoded(source);
      const { parameters } = readTrack(at, readMaster(at).pictures[0]!);
      const bt709 = 1;
      assert.deepEqual(
        [
          parameters['colorSpace'],
          parameters['colorTrc'],
          parameters['colorPrimaries'],
          parameters['format'],
        ],
        [bt709, bt709, bt709, 0],
      );
    });
  }

  test('reports progress, and ends at once when nobody wants the film any more', async () => {
    const source = await studio.probed({ seconds: 20, width: 640, height: 360 });
    const leaving = new AbortController();
    const at = `${source.film.path}-stream`;
    await mkdir(at);
    const seen: number[] = [];
    const { facts } = source;
    const work = studio.workers.transcode(source.film, {
      facts,
      rungs: ladderOf(facts),
      folder: at,
      signal: leaving.signal,
      onProgress(percent) {
        seen.push(percent);
        leaving.abort();
      },
    });
    await assert.rejects(work, { name: 'AbortError' });
    assert.ok(seen.length > 0 && seen[0]! < 100);
    assert.equal(studio.workers.stats().busy, 0);
  });

  test('a worker does not outlive its server', async () => {
    const { film, facts } = await studio.probed({ seconds: 60, width: 640, height: 360 });
    const task = { facts, rungs: ladderOf(facts), folder: `${film.path}-orphan` };
    const script = `
      import { createFilmWorkers } from ${JSON.stringify(import.meta.resolve('./film-workers.ts'))};
      const workers = createFilmWorkers({ probes: 1, transcodes: 1 });
      const onProgress = () => console.log(workers.pids()[0]);
      await workers.transcode(${JSON.stringify(film)}, { ...${JSON.stringify(task)}, onProgress });`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    server.kill('SIGKILL');
    const worker = Number.parseInt(said.toString(), 10);
    await eventually(() => assert.throws(() => process.kill(worker, 0), { code: 'ESRCH' }));
  });
});

async function filesBelow(at: string): Promise<string[]> {
  const entries = await readdir(at, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(at.length + 1));
}

function rounded(values: readonly number[]): number[] {
  return values.map((value) => Math.round(value * 1000) / 1000);
}
