// One moment of a film as a JPEG of the size it is shown in.
import type { Frame } from 'node-av/lib';
import { UndecodableError } from './checked.ts';
import { openDecoder } from './decoder.ts';
import type { Decoder } from './decoder.ts';
import { openFilterChain } from './filter-chain.ts';
import type { OpenFilm } from './open-film.ts';
import { stillFilters } from './picture-filters.ts';
import { sourcePictureOf } from './source-picture.ts';
import { momentOf, ticksPerSecond } from './ticks.ts';
import { writeJpeg } from './write-picture.ts';

/** Some containers do not know where keyframes are, and a seek may land behind the one that is needed. */
const seekBackMs = [0, 10_000, Infinity];
/** As many frames are tried for one that is not dark. */
const maxDarkFrames = 60;
const darkLuma = 40;

/** The frame shown at a moment; the last one when the film ends before. */
export function writeStill(film: OpenFilm, atMs: number, path: string): void {
  using decoder = openDecoder(film.video, { threads: 1 });
  const wanted = film.startTicks + (atMs / 1000) * ticksPerSecond;
  const isAfter = (frame: Frame): boolean => (momentOf(frame, film.video.timeBase) ?? 0) > wanted;
  for (const backMs of seekBackMs) {
    film.seek(Math.max(0, atMs - backMs));
    decoder.reset();
    using shown = frameBefore(film, decoder, isAfter);
    if (shown !== null && (!isAfter(shown) || atMs - backMs <= 0)) return writeShown(film, shown, path);
  }
  throw new UndecodableError();
}

/** A frame that stands for the film: the first keyframe from a tenth on, or a bit later when that is dark. */
export function writePoster(film: OpenFilm, durationMs: number, path: string): void {
  using decoder = openDecoder(film.video, { threads: 1 });
  let tried = 0;
  const isGood = (frame: Frame): boolean => !isDark(frame) || (tried += 1) > maxDarkFrames;
  film.seek(Math.min(durationMs / 10, 10_000));
  using found = firstFrame(film, decoder, isGood);
  if (found !== null) return writeShown(film, found, path);
  // Some films cannot be sought in.
  film.seek(0);
  decoder.reset();
  using first = firstFrame(film, decoder, () => true);
  if (first === null) throw new UndecodableError();
  writeShown(film, first, path);
}

function* framesOf(film: OpenFilm, decoder: Decoder): Generator<Frame> {
  for (const packet of film.packets())
    if (packet.streamIndex === film.video.index) yield* decoder.frames(packet);
  yield* decoder.frames(null);
}

function frameBefore(film: OpenFilm, decoder: Decoder, isAfter: (frame: Frame) => boolean): Frame | null {
  let last: Frame | null = null;
  for (const frame of framesOf(film, decoder)) {
    if (last !== null && isAfter(frame)) return last;
    last?.free();
    last = frame.clone();
  }
  return last;
}

function firstFrame(film: OpenFilm, decoder: Decoder, isGood: (frame: Frame) => boolean): Frame | null {
  let last: Frame | null = null;
  for (const frame of framesOf(film, decoder)) {
    last?.free();
    last = frame.clone();
    if (isGood(frame)) break;
  }
  return last;
}

function writeShown(film: OpenFilm, frame: Frame, path: string): void {
  using chain = openFilterChain('video', stillFilters(sourcePictureOf(frame), film.display, film.display), 1);
  frame.pts = 0n;
  chain.push(frame);
  chain.push(null);
  for (const picture of chain.outputs[0]?.frames() ?? []) return writeJpeg(picture, path);
  throw new UndecodableError();
}

/** By a sample of its first plane, which is the lightness in nearly every film. */
function isDark(frame: Frame): boolean {
  const plane = frame.data?.[0];
  const rowBytes = frame.linesize[0] ?? 0;
  if (plane === undefined || rowBytes <= 0) return false;
  const bytesPerPixel = Math.max(1, Math.floor(rowBytes / frame.width));
  let [sum, count] = [0, 0];
  for (let y = 0; y < frame.height; y += 16) {
    for (let x = 0; x < frame.width; x += 16) {
      sum += plane[y * rowBytes + x * bytesPerPixel] ?? 0;
      count += 1;
    }
  }
  return bytesPerPixel === 1 && sum / count < darkLuma;
}
