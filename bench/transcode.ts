// What a ladder of three renditions costs in processor time, beside the `ffmpeg` of the machine with the same settings. Both
// take turns, so that whatever else the machine does falls on both.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { saveFilm } from '../test/support/films.ts';
import type { FilmFacts, FilmFile } from '../src/videos/film.ts';
import { createFilmWorkers, type FilmWorkers } from '../src/videos/local/film-workers.ts';
import { ladderOf, type Rung } from '../src/videos/local/ladder.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { treeCpuMs } from './support/process-usage.ts';
import { atMost, type Scenario } from './support/report.ts';
import { median } from './support/statistics.ts';

const rounds = 3;
const seconds = 10;

type Run = { cpuSeconds: number; wallSeconds: number };
type Round = { ours: Run; theirs: Run | null };

export const transcode: Scenario = async () => {
  using folder = temporaryFolder();
  const film = saveFilm(join(folder.path, 'film'), { width: 1920, height: 1080, frameRate: 30, seconds });
  const workers = createFilmWorkers({ probes: 1, transcodes: 1 });
  try {
    const facts = await workers.probe(film, { posterPath: join(folder.path, 'poster.jpg') });
    await warmUp(workers, folder.path);
    const version = ffmpegVersion();
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const into = (name: string): string => join(folder.path, `${name}-${round}`);
      const ours = await measure(() => ourLadder(workers, film, facts, into('ours')));
      const theirs =
        version === null ? null : await measure(() => theirLadder(film, ladderOf(facts), into('theirs')));
      measured.push({ ours, theirs });
    }
    return figures(measured, version);
  } finally {
    await workers.close();
  }
};

function figures(measured: readonly Round[], version: string | null) {
  const what = `${seconds} s of 1080p to 3 renditions and sound, CPU`;
  const ratios = measured.flatMap(({ ours, theirs }) =>
    theirs ? [ours.cpuSeconds / theirs.cpuSeconds] : [],
  );
  const show = (pick: (round: Round) => number | undefined): string =>
    `${median(measured.map((round) => pick(round) ?? 0)).toFixed(1)} s`;
  return [
    version === null
      ? { what: `${what}, to the ffmpeg command`, value: 'ffmpeg is not installed' }
      : atMost(`${what}, to ffmpeg ${version}`, median(ratios), 1.1, ' ×', 2),
    {
      what: '  CPU: ours / ffmpeg',
      value: `${show(({ ours }) => ours.cpuSeconds)} / ${show(({ theirs }) => theirs?.cpuSeconds)}`,
    },
    {
      what: '  by the clock: ours / ffmpeg',
      value: `${show(({ ours }) => ours.wallSeconds)} / ${show(({ theirs }) => theirs?.wallSeconds)}`,
    },
  ];
}

/** A worker is kept for the next film; starting one is no part of the encoding. */
async function warmUp(workers: FilmWorkers, folder: string): Promise<void> {
  const film = saveFilm(join(folder, 'short'), { seconds: 1 });
  const facts = await workers.probe(film, { posterPath: join(folder, 'poster.jpg') });
  await ourLadder(workers, film, facts, join(folder, 'warm-up'));
}

async function ourLadder(
  workers: FilmWorkers,
  film: FilmFile,
  facts: FilmFacts,
  folder: string,
): Promise<void> {
  mkdirSync(folder);
  await workers.transcode(film, { facts, rungs: ladderOf(facts), folder });
}

async function theirLadder(film: FilmFile, rungs: readonly Rung[], folder: string): Promise<void> {
  mkdirSync(folder);
  const maps = rungs.map((_, index) => `-map [v${index}]`).join(' ');
  const bounds = rungs.map(
    ({ maxBitRate: most }, index) => `-maxrate:v:${index} ${most} -bufsize:v:${index} ${most * 2}`,
  );
  const video = `-c:v libx264 -preset veryfast -crf 23 -profile:v high ${bounds.join(' ')} -g 600 -forced-idr 1`;
  const keyframes = '-force_key_frames expr:gte(t,n_forced*4)';
  const sound = '-map 0:a -c:a aac -b:a 128k -ar 48000 -ac 2';
  const segments =
    '-f hls -hls_time 4 -hls_playlist_type vod -hls_segment_type fmp4 -master_pl_name master.m3u8';
  const variants = [...rungs.map((_, index) => `v:${index},agroup:sound`), 'a:0,agroup:sound'].join(' ');
  const arguments_ = [
    ...`-v error -nostdin -y -i ${film.path} -filter_complex ${theirFilters(rungs)}`.split(' '),
    ...`${maps} ${video} ${keyframes} ${sound} ${segments}`.split(' '),
    '-var_stream_map',
    variants,
    '-hls_segment_filename',
    '%v/%05d.m4s',
    '%v.m3u8',
  ];
  const { status, stderr } = spawnSync('nice', ['-n', '10', 'ffmpeg', ...arguments_], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
}

function theirFilters([largest, ...others]: readonly Rung[]): string {
  const size = ({ width, height }: Rung): string => `scale=${width}:${height}:flags=bicubic`;
  const names = others.map((_, index) => `[s${index + 1}]`);
  return [
    `[0:v]${size(largest as Rung)},format=yuv420p,split=${others.length + 1}[v0]${names.join('')}`,
    ...others.map((rung, index) => `${names[index]}${size(rung)}[v${index + 1}]`),
  ].join(';');
}

async function measure(work: () => Promise<void>): Promise<Run> {
  const [cpuBefore, startedAt] = [treeCpuMs(process.pid), performance.now()];
  await work();
  return {
    cpuSeconds: (treeCpuMs(process.pid) - cpuBefore) / 1000,
    wallSeconds: (performance.now() - startedAt) / 1000,
  };
}

function ffmpegVersion(): string | null {
  const { status, stdout } = spawnSync('ffmpeg', ['-version'], { encoding: 'utf8' });
  return status === 0 ? (/version (\d+(\.\d+)*)/.exec(stdout)?.[1] ?? 'of unknown version') : null;
}
