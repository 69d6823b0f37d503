// Files made to mislead FFmpeg: each is refused in a sentence, within limits, and nothing they name is ever opened.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readTrace, skipWithoutStrace } from '../../../test/crash/strace.ts';
import { saveFilm } from '../../../test/support/films.ts';
import { damagedFilms, lyingFilms, scripts } from '../../../test/support/hostile-films.ts';
import type { HostileFilm } from '../../../test/support/hostile-films.ts';
import { AppError } from '../../platform/errors.ts';
import type { FilmFile, FilmType } from '../film.ts';
import { createFilmWorkers } from './film-workers.ts';
import type { FilmWorkers } from './film-workers.ts';
import { ladderOf } from './ladder.ts';

const types: FilmType[] = [
  ...(['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/x-matroska', 'video/webm'] as const),
  ...(['video/mp2t', 'video/mpeg', 'video/x-flv', 'video/x-ms-wmv', 'video/ogg'] as const),
];
const maxMs = 10_000;
const maxResidentBytes = 1 << 30;

suite('hostile films', { concurrency: false }, () => {
  let folder: string;
  let workers: FilmWorkers;
  let canaryFile: string;
  let canaryUrl: string;
  let visits = 0;
  const canary = createServer((_, response) => response.end('canary')).on('connection', () => (visits += 1));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tintype-hostile-'));
    canaryFile = join(folder, 'canary.mp4');
    saveFilm(canaryFile);
    await new Promise<void>((listening) => canary.listen(0, '127.0.0.1', listening));
    canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/canary.ts`;
    workers = createFilmWorkers({ probes: 1, transcodes: 1 });
  });
  after(async () => {
    await workers.close();
    canary.close();
    await rm(folder, { recursive: true });
  });

  async function save({ type, bytes }: Pick<HostileFilm, 'type' | 'bytes'>, name: string): Promise<FilmFile> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return { path, type };
  }

  async function refusal(film: FilmFile): Promise<AppError | null> {
    const startedAt = performance.now();
    const error = await workers.probe(film, { posterPath: join(folder, 'poster.jpg') }).then(
      () => null,
      (fault: Error) => fault,
    );
    assert.ok(performance.now() - startedAt < maxMs, `took ${performance.now() - startedAt} ms`);
    if (error === null) return null;
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, 'undecodable', `${error.code}: ${String(error.cause)}`);
    assert.doesNotMatch(error.message, /tmp|file:|Error|node/);
    return error;
  }

  test('scripts and playlists are refused whatever they are called', async () => {
    let index = 0;
    for (const [name, text] of Object.entries(scripts(canaryFile, canaryUrl)))
      for (const type of types) {
        const film = await save({ type, bytes: Buffer.from(text) }, `script-${(index += 1)}`);
        assert.ok(await refusal(film), `${name} as ${type} was taken`);
      }
    assert.equal(visits, 0, 'the canary was asked');
    assert.equal(workers.stats().crashes, 0);
  });

  test('films that lie are refused with a reason', async () => {
    for (const [index, film] of lyingFilms(canaryFile).entries()) {
      const fault = await refusal(await save(film, `lie-${index}`));
      assert.ok(fault, `${film.name} was taken`);
      if (film.reason) assert.match(fault.message, film.reason, film.name);
    }
    assert.equal(workers.stats().crashes, 0);
  });

  test('damaged films are refused or read, and the worker lives on', async () => {
    for (const [index, film] of damagedFilms(8).entries())
      await refusal(await save(film, `damaged-${index}`));
    assert.equal(workers.stats().crashes, 0);
    const whole = saveFilm(join(folder, 'whole'));
    assert.equal(await refusal(whole), null);
  });

  test('nothing that a file names is opened or connected to', { skip: skipWithoutStrace }, async () => {
    const named = Object.values(scripts(canaryFile, canaryUrl)).map((text) => ({
      type: 'video/mp4' as const,
      bytes: Buffer.from(text),
    }));
    const broadcast = named.map((script) => ({ ...script, type: 'video/mp2t' as const }));
    const alias = lyingFilms(canaryFile).filter(({ type }) => type === 'video/quicktime');
    const films = await Promise.all(
      [...named, ...broadcast, ...alias].map((film, index) => save(film, `traced-${index}`)),
    );
    const script = `
      import { createFilmWorkers } from ${JSON.stringify(import.meta.resolve('./film-workers.ts'))};
      const workers = createFilmWorkers({ probes: 1, transcodes: 1 });
      for (const film of ${JSON.stringify(films)})
        await workers.probe(film, { posterPath: ${JSON.stringify(join(folder, 'traced.jpg'))} }).then(
          () => { throw new Error('taken: ' + film.path) },
          (error) => { if (error.code !== 'undecodable') throw error; });
      await workers.close();`;
    const trace = join(folder, 'trace');
    const command = [process.execPath, '--input-type=module', '-e', script];
    const { status, stderr } = spawnSync(
      'strace',
      ['-f', '-o', trace, '-e', 'trace=open,openat,openat2,connect', ...command],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const calls = readTrace(trace);
    for (const { path } of films)
      assert.ok(
        calls.some((call) => call.text.includes(`"${path}"`)),
        'the trace sees',
      );
    assert.deepEqual(
      calls.filter(({ text }) => text.includes('canary') || /sin_port=htons\(/.test(text)),
      [],
    );
    assert.equal(visits, 0);
  });

  test('a worker that hangs is ended, and the next film is read', async () => {
    const impatient = createFilmWorkers({
      probes: 1,
      transcodes: 1,
      limits: { probe: { wallTimeMs: 500 } },
    });
    try {
      const film = saveFilm(join(folder, 'honest'), { seconds: 1 });
      const posterPath = join(folder, 'honest.jpg');
      await impatient.probe(film, { posterPath });
      process.kill(impatient.pids()[0]!, 'SIGSTOP');
      await assert.rejects(impatient.probe(film, { posterPath }), {
        status: 422,
        message: 'The film took too long to read',
      });
      assert.equal((await impatient.probe(film, { posterPath })).width, 320);
    } finally {
      await impatient.close();
    }
  });

  test('a worker that falls silent or dies while encoding is an error, not a verdict on the film', async () => {
    const impatient = createFilmWorkers({
      probes: 1,
      transcodes: 1,
      limits: { transcode: { silenceMs: 1500, maxRssBytes: maxResidentBytes } },
    });
    try {
      const film = saveFilm(join(folder, 'long'), { seconds: 20, width: 640, height: 360 });
      const facts = await impatient.probe(film, { posterPath: join(folder, 'long.jpg') });
      for (const [signal, kind] of [
        ['SIGSTOP', 'too_slow'],
        ['SIGKILL', 'crashed'],
      ] as const) {
        const work = impatient.transcode(film, {
          facts,
          rungs: ladderOf(facts),
          folder: join(folder, signal),
          onProgress: () => impatient.pids().forEach((pid) => process.kill(pid, signal)),
        });
        await assert.rejects(work, (error: Error) => {
          assert.ok(!(error instanceof AppError));
          assert.match(error.message, new RegExp(kind));
          return true;
        });
      }
    } finally {
      await impatient.close();
    }
  });
});
