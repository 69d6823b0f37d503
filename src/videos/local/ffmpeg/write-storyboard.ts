// The storyboard of a film from its smallest rung, where thumbnails are cheapest to get.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'node-av/lib';
import type { FilmFacts, FilmFile } from '../../film.ts';
import { planStoryboard, storyboardVtt } from '../storyboard.ts';
import type { StoryboardPlan } from '../storyboard.ts';
import { openDecoder } from './decoder.ts';
import { openFilterChain } from './filter-chain.ts';
import type { FilterChain } from './filter-chain.ts';
import { openFilm } from './open-film.ts';
import type { Pace } from './pace.ts';
import { sourceFilter } from './picture-filters.ts';
import { sourcePictureOf } from './source-picture.ts';
import { momentOf, ticksPerSecond } from './ticks.ts';
import { writeJpeg } from './write-picture.ts';

const imageName = 'storyboard.jpg';

export async function writeStoryboard(
  rung: FilmFile,
  facts: FilmFacts,
  folder: string,
  pace: Pace,
): Promise<void> {
  const plan = planStoryboard(facts);
  using film = openFilm(rung);
  using decoder = openDecoder(film.video, { threads: 1, keyframesOnly: plan.keyframesOnly });
  using board = createBoard(plan);
  for (const packet of film.packets()) {
    for (const frame of decoder.frames(packet)) board.take(frame, momentMs(frame));
    await pace.at(0);
  }
  for (const frame of decoder.frames(null)) board.take(frame, momentMs(frame));
  function momentMs(frame: Frame): number {
    return ((momentOf(frame, film.video.timeBase) ?? 0) / ticksPerSecond) * 1000;
  }
  board.write(join(folder, imageName));
  writeFileSync(join(folder, 'storyboard.vtt'), storyboardVtt(plan, facts.durationMs, imageName));
}

type Board = Disposable & { take(frame: Frame, atMs: number): void; write(path: string): void };

function createBoard(plan: StoryboardPlan): Board {
  let chain: FilterChain | null = null;
  let last: Frame | null = null;
  let placed = 0;

  function place(frame: Frame): void {
    const copy = frame.clone();
    if (copy === null) throw new Error('There is no memory for a thumbnail');
    chain ??= openFilterChain('video', boardFilters(plan, frame), 1);
    copy.pts = BigInt(placed);
    chain.push(copy);
    copy.free();
    placed += 1;
  }

  return {
    take(frame, atMs) {
      // A frame stands for every moment until the next one.
      while (last !== null && placed < plan.count && placed * plan.intervalMs < atMs) place(last);
      last?.free();
      last = frame.clone();
    },
    write(path) {
      while (last !== null && placed < plan.count) place(last);
      chain?.push(null);
      for (const picture of chain?.outputs[0]?.frames() ?? []) return writeJpeg(picture, path, 'good');
      throw new Error('The storyboard has no thumbnails');
    },
    [Symbol.dispose]() {
      last?.free();
      chain?.[Symbol.dispose]();
    },
  };
}

function boardFilters({ width, height, columns, rows }: StoryboardPlan, frame: Frame): string {
  return [
    sourceFilter(sourcePictureOf(frame)),
    `scale=${width}:${height}:flags=area:out_color_matrix=bt601:out_range=full`,
    'format=yuvj420p',
    `tile=${columns}x${rows}`,
    'buffersink@out0',
  ].join(',');
}
