// The provider of this machine from the film to what is kept: something playable first, then the ladder, and nothing left behind.
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { saveFilm } from '../../../test/support/films.ts';
import type { FilmOptions } from '../../../test/support/films.ts';
import { readMaster, readTrack } from '../../../test/support/streams.ts';
import type { FilmFile } from '../film.ts';
import { ownerName } from '../../platform/owner-name.ts';
import { FilmFault } from '../provider.ts';
import type { Film, Stream, WorkContext } from '../provider.ts';
import { createFilmWorkers } from './film-workers.ts';
import type { FilmWorkers } from './film-workers.ts';
import { createLocalProvider } from './local-provider.ts';

suite('the local provider', { concurrency: false }, () => {
  let folder: string;
  let staging: string;
  let workers: FilmWorkers;
  let made = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tintype-provider-'));
    staging = join(folder, 'staging');
    workers = createFilmWorkers({ probes: 1, transcodes: 1 });
  });
  after(async () => {
    await workers.close();
    await rm(folder, { recursive: true });
  });

  async function filmOf(options: FilmOptions): Promise<Film> {
    const file = saveFilm(join(folder, `film-${(made += 1)}`), options);
    const facts = await workers.probe(file, { posterPath: `${file.path}.jpg` });
    return filmFrom(file, facts);
  }

  function filmFrom(file: FilmFile, facts: Film['facts']): Film {
    const names = { generation: 'g', bucketId: 'b', objectId: 'vid-x', originalUrl: 'http://localhost/x' };
    return { ...names, facts, type: file.type, localFile: () => Promise.resolve(file) };
  }

  type Seen = { kept: string; published: Stream[]; progress: number[]; order: string[] };

  function context(signal = new AbortController().signal): { context: WorkContext; seen: Seen } {
    const seen: Seen = { kept: join(folder, `kept-${made}`), published: [], progress: [], order: [] };
    return {
      seen,
      context: {
        signal,
        progress: (percent) => void seen.progress.push(percent),
        publish: async (stream) => void seen.published.push(stream),
        remember: async () => {},
        async keep(name, path) {
          await mkdir(dirname(join(seen.kept, name)), { recursive: true });
          await copyFile(path, join(seen.kept, name));
          seen.order.push(name);
        },
      },
    };
  }

  const provider = () => createLocalProvider({ workers, stagingFolder: staging });

  test('a film to encode: its smallest rung first, then all', async () => {
    const { context: given, seen } = context();
    const film = await filmOf({ container: 'webm', width: 900, height: 600, seconds: 2 });
    const worked = await provider().work(film, null, given);
    assert.ok(worked.kind === 'ready' && worked.stream.kind === 'own');
    const [first] = seen.published;
    assert.ok(seen.published.length === 1 && first?.kind === 'own');
    const names = ({ renditions }: Stream): string[] => renditions.map(({ name }) => name);
    assert.deepEqual([names(first), names(worked.stream)], [['480p'], ['600p', '480p']]);
    assert.deepEqual([first.extras, worked.stream.extras], [false, true]);
    assert.notEqual(first.revision, worked.stream.revision);
    assert.match(worked.stream.revision, /^[0-9a-f]{12}$/);
    for (const stream of [first, worked.stream]) {
      const at = join(seen.kept, stream.revision);
      for (const playlist of readMaster(at).pictures) assert.equal(readTrack(at, playlist).frames.length, 50);
    }
    const kept = await readdir(join(seen.kept, worked.stream.revision));
    for (const name of ['original.mp4', 'storyboard.jpg', 'storyboard.vtt']) assert.ok(kept.includes(name));
    assert.equal(
      seen.order.findLast((name) => name.startsWith(first.revision)),
      `${first.revision}/master.m3u8`,
    );
    assert.deepEqual(
      seen.progress.toSorted((one, other) => one - other),
      seen.progress,
    );
    assert.equal(seen.progress.at(-1), 100);
    assert.deepEqual(await readdir(staging), []);
  });

  test('a small film that browsers play stays what it is', async () => {
    const { context: given, seen } = context();
    const film = await filmOf({ seconds: 2, encoderOptions: { preset: 'veryfast' } });
    const worked = await provider().work(film, null, given);
    assert.ok(worked.kind === 'ready' && worked.stream.kind === 'own');
    assert.equal(worked.stream.extras, true);
    assert.deepEqual(seen.published, [{ ...worked.stream, extras: false }]);
    assert.deepEqual(await readdir(seen.kept), [worked.stream.revision]);
  });

  test('a film that cannot be decoded is its own fault, in a sentence', async () => {
    const film = await filmOf({ seconds: 1 });
    const { path } = await film.localFile();
    await writeFile(path, (await readFile(path)).fill(0, 100));
    await assert.rejects(provider().work(film, null, context().context), (error) => {
      assert.ok(error instanceof FilmFault);
      assert.equal(
        error.message,
        'The film cannot be decoded: it is cut short, damaged, or of an unknown kind',
      );
      return true;
    });
    await rm(path);
    await assert.rejects(
      provider().work(film, null, context().context),
      (error) => !(error instanceof FilmFault),
    );
    assert.deepEqual(await readdir(staging), []);
  });

  test('an end from outside leaves nothing, and neither do the dead', async () => {
    const dead = ownerName(4_194_304, 'abcdef');
    await mkdir(join(staging, dead, 'ladder'), { recursive: true });
    const leaving = new AbortController();
    const { context: given, seen } = context(leaving.signal);
    const film = await filmOf({ container: 'webm', width: 640, height: 360, seconds: 12 });
    const work = provider().work(film, null, { ...given, progress: () => leaving.abort() });
    await assert.rejects(work, { name: 'AbortError' });
    assert.deepEqual(seen.published, []);
    assert.deepEqual(await readdir(staging), []);
  });
});
