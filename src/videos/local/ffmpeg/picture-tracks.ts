// The pictures of all rungs from one decoding: frames go once through the filters and then to an encoder for each rung.
// Keyframes are asked for at the first frame at or after every four seconds, whatever the speed of the film.
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import type { FilmFacts } from '../../film.ts';
import type { Rung } from '../ladder.ts';
import type { PictureTrack } from '../playlists.ts';
import { UndecodableError } from './checked.ts';
import { openVideoEncoder } from './encoder.ts';
import type { Encoder } from './encoder.ts';
import { openFilterChain } from './filter-chain.ts';
import type { FilterChain } from './filter-chain.ts';
import type { OpenFilm } from './open-film.ts';
import { pictureFilters } from './picture-filters.ts';
import type { SourcePicture } from './picture-filters.ts';
import { createSegmentWriter, nextBoundary } from './segment-writer.ts';
import type { SegmentWriter } from './segment-writer.ts';
import { isSameKind, sourcePictureOf } from './source-picture.ts';
import { momentOf, ticksOf, ticksPerSecond } from './ticks.ts';

const maxFrameRate = 60;
/** Some films claim a little more than they have. */
const tolerance = 1.01;
const usualFrameRate = 25;
/**
 * A frame that stands longer is repeated. Otherwise a still part would be one endless segment; and decoding runs ahead of
 * showing by a few frames, which players expect to be a small part of a second.
 */
const maxGapTicks = ticksPerSecond / 4;
const fillTicks = ticksPerSecond / 10;

export type PictureTracks = {
  /** Takes a decoded frame and returns its moment in ticks from the beginning of the film. */
  take(frame: Frame): number;
  /** The last frame is shown on until then. */
  finish(untilTicks: number): PictureTrack[];
};

type RungTrack = { readonly rung: Rung; encoder: Encoder; writer: SegmentWriter; boundary: number };

export type PictureTracksOptions = {
  readonly film: OpenFilm;
  readonly facts: FilmFacts;
  readonly rungs: readonly Rung[];
  readonly folder: string;
  readonly threads: number;
};

export function createPictureTracks(options: PictureTracksOptions): PictureTracks {
  const { film, facts, rungs } = options;
  const tracks: (RungTrack | undefined)[] = rungs.map(() => undefined);
  const isTooFast = facts.frameRate > maxFrameRate * tolerance;
  const frameTicks = Math.round(ticksPerSecond / (facts.frameRate || usualFrameRate));
  let filters: { chain: FilterChain; kind: SourcePicture } | null = null;
  let moment = -1;
  let last: Frame | null = null;

  function encode(frame: Frame, index: number): void {
    const track = (tracks[index] ??= openTrack(options, rungs[index] as Rung, frame));
    const ticks = Number(frame.pts);
    const beginsSegment = ticks >= track.boundary;
    if (beginsSegment) track.boundary = nextBoundary(ticks);
    frame.pictType = beginsSegment ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    for (const packet of track.encoder.packets(frame)) track.writer.write(packet);
  }

  function drainFilters(): void {
    for (const [index, output] of filters?.chain.outputs.entries() ?? []) {
      for (const frame of output.frames()) {
        frame.pts = BigInt(ticksOf(frame.pts, output.timeBase));
        frame.duration = BigInt(frame.duration > 0n ? ticksOf(frame.duration, output.timeBase) : frameTicks);
        encode(frame, index);
      }
    }
  }

  function endFilters(): void {
    filters?.chain.push(null);
    drainFilters();
    filters?.chain[Symbol.dispose]();
    filters = null;
  }

  /** The picture of some films changes its size on the way. */
  function prepareFilters(frame: Frame): FilterChain {
    const kind = sourcePictureOf(frame);
    if (filters !== null && isSameKind(filters.kind, kind)) return filters.chain;
    endFilters();
    const description = pictureFilters(kind, film.display, rungs, {
      maxFrameRate: isTooFast ? maxFrameRate : null,
    });
    const chain = openFilterChain('video', description, options.threads);
    filters = { chain, kind };
    return chain;
  }

  function push(frame: Frame, ticks: number): void {
    const chain = prepareFilters(frame);
    frame.pts = BigInt(ticks);
    chain.push(frame);
    drainFilters();
  }

  function fillUntil(ticks: number): void {
    if (moment < 0 || ticks - moment <= maxGapTicks) return;
    while (ticks - moment > fillTicks) {
      using again = last?.clone() ?? null;
      if (again === null) return;
      moment += fillTicks;
      again.duration = BigInt(fillTicks);
      push(again, moment);
    }
  }

  return {
    take(frame) {
      const found = momentOf(frame, film.video.timeBase);
      const ticks = found === null ? moment + frameTicks : found - film.startTicks;
      const shown = moment < 0 ? Math.max(0, ticks) : ticks;
      // Two frames at one moment, or one that comes too late.
      if (shown <= moment) return moment;
      fillUntil(shown);
      moment = shown;
      const duration = ticksOf(frame.duration, film.video.timeBase);
      frame.duration = BigInt(duration > 0 ? duration : frameTicks);
      last?.free();
      last = frame.clone();
      push(frame, shown);
      return shown;
    },
    finish(untilTicks) {
      if (last === null) throw new UndecodableError();
      // So that there are pictures as long as there is sound.
      fillUntil(untilTicks);
      last.free();
      endFilters();
      return tracks.map((track) => finishTrack(track, facts.frameRate));
    },
  };
}

function openTrack(options: PictureTracksOptions, rung: Rung, first: Frame): RungTrack {
  const { facts, folder, threads } = options;
  const frameRate = Math.min(facts.frameRate, maxFrameRate);
  const encoder = openVideoEncoder(rung, first, { frameRate, threads });
  const writer = createSegmentWriter({ folder, name: rung.name, parameters: encoder.parameters });
  return { rung, encoder, writer, boundary: 0 };
}

function finishTrack(track: RungTrack | undefined, frameRate: number): PictureTrack {
  if (track === undefined) throw new UndecodableError();
  const { rung, encoder, writer } = track;
  for (const packet of encoder.packets(null)) writer.write(packet);
  encoder[Symbol.dispose]();
  const { width, height } = rung;
  return { ...writer.finish(), width, height, frameRate: Math.min(frameRate, maxFrameRate) };
}
