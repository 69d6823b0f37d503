// What a film is, and whether we take it: read from its headers, proved by decoding a frame.
import { statSync } from 'node:fs';
import { AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import { avGetCodecName } from 'node-av/lib';
import type { Stream } from 'node-av/lib';
import type { FilmFacts, FilmFile } from '../../film.ts';
import { demuxers, limits } from './accepted.ts';
import { UndecodableError } from './checked.ts';
import { openFilm } from './open-film.ts';
import type { OpenFilm } from './open-film.ts';
import { ticksOf, ticksPerSecond, unknownMoment } from './ticks.ts';
import { writePoster } from './write-still.ts';

const ticksPerMs = ticksPerSecond / 1000;
/** A single frame lasts, when nothing says how long. */
const oneFrameMs = 40;

export function probeFilm(file: FilmFile, posterPath: string): FilmFacts {
  using film = openFilm(file);
  const frameRate = frameRateOf(film.video);
  const durationMs = durationOf(film, file);
  const bitRate = Math.round((statSync(file.path).size * 8000) / durationMs);
  checkClaims({ frameRate, durationMs, bitRate });
  writePoster(film, durationMs, posterPath);
  if (demuxers[file.type] === demuxers['video/mp4']) checkEnd(film, durationMs);
  const { width, height, rotation } = film.display;
  return {
    durationMs,
    width,
    height,
    rotation,
    frameRate,
    bitRate,
    videoCodec: nameOf(film.video),
    audioCodec: film.audio === null ? null : nameOf(film.audio),
  };
}

function nameOf({ codecpar }: Stream): string {
  return avGetCodecName(codecpar.codecId) ?? 'unknown';
}

function frameRateOf({ avgFrameRate, rFrameRate }: Stream): number {
  for (const { num, den } of [avgFrameRate, rFrameRate]) if (num > 0 && den > 0) return num / den;
  return 0;
}

function durationOf(film: OpenFilm, { type }: FilmFile): number {
  const ends = [film.video, film.audio].flatMap((stream) =>
    stream === null || stream.duration === unknownMoment || stream.duration <= 0n
      ? []
      : [ticksOf(startOf(stream) + stream.duration, stream.timeBase) - film.startTicks],
  );
  if (ends.length > 0) return Math.max(1, Math.round(Math.max(...ends) / ticksPerMs));
  const { duration, startTime } = film.context;
  if (duration === unknownMoment || duration <= 0n) return readThrough(film);
  // Matroska names the end, the others the length.
  const names = type === 'video/x-matroska' || type === 'video/webm' ? 'end' : 'length';
  const start = names === 'end' && startTime !== unknownMoment && startTime > 0n ? startTime : 0n;
  return Math.max(1, Math.round(Number(duration - start) / 1000));
}

function startOf(stream: Stream): bigint {
  return stream.startTime === unknownMoment ? 0n : stream.startTime;
}

/** Browsers record films that do not say how long they are. */
function readThrough(film: OpenFilm): number {
  let end = 0;
  for (const packet of film.packets()) {
    const stream = packet.streamIndex === film.video.index ? film.video : film.audio;
    if (stream === null || packet.pts === unknownMoment) continue;
    end = Math.max(end, ticksOf(packet.pts + packet.duration, stream.timeBase) - film.startTicks);
  }
  return Math.max(oneFrameMs, Math.round(end / ticksPerMs));
}

/** The header of an MP4 tells where every frame lies, also when the file ends before. */
function checkEnd(film: OpenFilm, durationMs: number): void {
  film.seek(durationMs, 'frame');
  for (const packet of film.packets())
    if (packet.streamIndex === film.video.index && !packet.hasFlags(AV_PKT_FLAG_CORRUPT)) return;
  throw new UndecodableError('The film is cut short');
}

function checkClaims({
  frameRate,
  durationMs,
  bitRate,
}: Record<'frameRate' | 'durationMs' | 'bitRate', number>) {
  if (frameRate > limits.frameRate)
    throw new UndecodableError(`The film has too many frames a second (maximum ${limits.frameRate})`);
  if (durationMs > limits.durationMs) throw new UndecodableError('The film is longer than 24 hours');
  if (bitRate < limits.leastBitRate)
    throw new UndecodableError('The film claims to be far longer than what it holds');
  // Of a short film the first frame is the larger part.
  if (bitRate * Math.min(1, durationMs / 1000) > limits.bitRate)
    throw new UndecodableError(
      `The film has more than ${limits.bitRate / 1e6} Mbit/s; make it smaller first`,
    );
}
