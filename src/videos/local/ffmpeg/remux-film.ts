// The film's own pictures and sound cut into segments, without encoding anything: playable within seconds of the upload,
// where a browser can play what the film holds and keyframes come often enough.
import { rmSync } from 'node:fs';
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_H264,
  AV_FIELD_PROGRESSIVE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
} from 'node-av/constants';
import type { Packet, Stream } from 'node-av/lib';
import type { StreamFolder } from '../../film.ts';
import type { FilmTask } from '../film-protocol.ts';
import { ownRung } from '../ladder.ts';
import { openFilm } from './open-film.ts';
import type { OpenFilm } from './open-film.ts';
import type { Pace } from './pace.ts';
import { createSegmentWriter } from './segment-writer.ts';
import type { SegmentWriter } from './segment-writer.ts';
import { tickBase, ticksPerSecond, unknownMoment } from './ticks.ts';
import { writePlaylists } from './write-stream.ts';

type RemuxTask = Extract<FilmTask, { kind: 'remux' }>;

const maxShorterSide = 1080;
/** From one keyframe to the next. */
const maxGapTicks = 6.5 * ticksPerSecond;
/** Sound that begins later is for the transcoder, which fills the gap. */
const maxSoundDelayTicks = ticksPerSecond / 20;
/** Nor may one of the two end much earlier than the other. */
const maxDifferenceTicks = 2 * ticksPerSecond;
const maxFrameRate = 61;
/** Longer stills are repeated by the transcoder, see there. */
const maxStillTicks = ticksPerSecond;

/** Null when the film must be encoded to be played. */
export async function remuxFilm(task: RemuxTask, pace: Pace): Promise<StreamFolder | null> {
  using film = openFilm(task.film);
  if (!isPlayable(film) || task.facts.frameRate > maxFrameRate) return null;
  const remuxed = await cutFilm(film, task, pace).catch((error: NodeJS.ErrnoException) => {
    // What our container refuses, such as moments out of order, the transcoder puts right.
    if (error.code === undefined) return null;
    throw error;
  });
  if (remuxed === null) rmSync(task.folder, { recursive: true, force: true });
  return remuxed;
}

async function cutFilm(
  film: OpenFilm,
  { facts, folder }: RemuxTask,
  pace: Pace,
): Promise<StreamFolder | null> {
  const { name } = ownRung(facts);
  const picture = createSegmentWriter({ folder, name, parameters: film.video.codecpar });
  const sound =
    film.audio === null
      ? null
      : createSegmentWriter({ folder, name: 'audio', parameters: film.audio.codecpar });
  if (!(await copyPackets(film, picture, sound, facts.durationMs, pace))) return null;
  const { width, height, frameRate } = facts;
  return writePlaylists(folder, {
    pictures: [{ ...picture.finish(), width, height, frameRate }],
    sound: sound?.finish() ?? null,
  });
}

function isPlayable({ video, audio, display }: OpenFilm): boolean {
  const { codecId, format } = video.codecpar;
  const isPlain = format === AV_PIX_FMT_YUV420P || format === AV_PIX_FMT_YUVJ420P;
  const isUpright = display.rotation === 0 && !display.mirrored;
  const hasSquarePixels = display.width === video.codecpar.width && display.height === video.codecpar.height;
  return (
    codecId === AV_CODEC_ID_H264 &&
    isPlain &&
    isProgressive(video) &&
    isUpright &&
    hasSquarePixels &&
    Math.min(display.width, display.height) <= maxShorterSide &&
    (audio === null || isReadySound(audio))
  );
}

/** The sound of broadcasts has its header in every packet, which our container does not take. */
function isReadySound({ codecpar }: Stream): boolean {
  return codecpar.codecId === AV_CODEC_ID_AAC && codecpar.extradataSize > 0;
}

function isProgressive({ codecpar }: Stream): boolean {
  const { fieldOrder } = codecpar.toJSON() as { fieldOrder?: number };
  return fieldOrder === AV_FIELD_PROGRESSIVE;
}

async function copyPackets(
  film: OpenFilm,
  picture: SegmentWriter,
  sound: SegmentWriter | null,
  durationMs: number,
  pace: Pace,
): Promise<boolean> {
  const begun = { picture: false, sound: false };
  const ends = { picture: 0, sound: 0 };
  let [keyframe, decoded] = [0, 0];
  for (const packet of film.packets()) {
    const isPicture = packet.streamIndex === film.video.index;
    if (!toTicks(packet, isPicture ? film.video : (film.audio as Stream), film.startTicks)) return false;
    const moment = Number(packet.pts);
    ends[isPicture ? 'picture' : 'sound'] = moment;
    if (isPicture) {
      // Nothing can be shown before the first keyframe.
      if (!begun.picture && (!packet.isKeyframe || Math.abs(moment) > ticksPerSecond)) return false;
      begun.picture = true;
      if (packet.isKeyframe) keyframe = moment;
      else if (moment - keyframe > maxGapTicks) return false;
      if (Number(packet.dts) - decoded > maxStillTicks) return false;
      decoded = Number(packet.dts);
      picture.write(packet);
    } else if (moment + 2 * Number(packet.duration) > 0) {
      if (!begun.sound && moment > maxSoundDelayTicks) return false;
      begun.sound = true;
      sound?.write(packet);
    }
    await pace.at(moment / ticksPerSecond / (durationMs / 1000));
  }
  const endTogether = Math.abs(ends.picture - ends.sound) < maxDifferenceTicks;
  return begun.picture && (sound === null || (begun.sound && endTogether));
}

/** False when a moment is missing, as in the oldest containers. */
function toTicks(packet: Packet, stream: Stream, startTicks: number): boolean {
  if (packet.pts === unknownMoment || packet.dts === unknownMoment) return false;
  packet.rescaleTs(stream.timeBase, tickBase);
  packet.pts -= BigInt(startTicks);
  packet.dts -= BigInt(startTicks);
  return true;
}
