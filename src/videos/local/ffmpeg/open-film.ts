// Opens a film to read: with the one demuxer its type allows, within limits, and with nothing but that file in reach.
import {
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_ANY,
  AVSEEK_FLAG_BACKWARD,
  AV_DISPOSITION_ATTACHED_PIC,
} from 'node-av/constants';
import type { AVSeekFlag } from 'node-av/constants';
import { Dictionary, FormatContext, InputFormat, Packet } from 'node-av/lib';
import type { Stream } from 'node-av/lib';
import type { FilmFile } from '../../film.ts';
import { decoderWhitelist, demuxers, limits } from './accepted.ts';
import { UndecodableError, checkedInput } from './checked.ts';
import { displayOf } from './display.ts';
import type { Display } from './display.ts';
import { ticksOf, unknownMoment } from './ticks.ts';

const microsecondsPerMs = 1000;

export type OpenFilm = Disposable & {
  readonly context: FormatContext;
  readonly video: Stream;
  readonly audio: Stream | null;
  readonly display: Display;
  /** When the picture begins, in ticks: what our streams call zero. */
  readonly startTicks: number;
  /** Of the chosen picture and sound, until the film ends or cannot be read on. The packet is the same each time. */
  packets(): Generator<Packet>;
  /** Goes on at the last keyframe before a moment, or at the last frame. */
  seek(atMs: number, at?: 'keyframe' | 'frame'): boolean;
};

/** One of our own tracks by itself. */
export type OpenTrack = Disposable & { readonly stream: Stream; packets(): Generator<Packet> };

export function openTrack(file: FilmFile): OpenTrack {
  const context = openContext(file);
  const [stream] = context.streams;
  if (stream === undefined) throw new Error('The track is empty');
  return { stream, ...readerOf(context, stream, null) };
}

export function openFilm(film: FilmFile): OpenFilm {
  const context = openContext(film);
  try {
    const { video, audio } = chosenStreams(context);
    return { context, video, audio, ...describedOf(context, video), ...readerOf(context, video, audio) };
  } catch (error) {
    context.closeInputSync();
    throw error;
  }
}

function openContext({ path, type }: FilmFile): FormatContext {
  const demuxer = demuxers[type];
  const format = InputFormat.findInputFormat(demuxer.split(',')[0] as string);
  const context = new FormatContext();
  const options = Dictionary.fromObject({
    format_whitelist: demuxer,
    protocol_whitelist: 'file',
    codec_whitelist: decoderWhitelist,
    max_streams: limits.streams,
    probesize: 10_000_000,
    analyzeduration: 10_000_000,
  });
  // The prefix keeps a name from being taken for another protocol's address.
  checkedInput(context.openInputSync(`file:${path}`, format, options), 'open');
  try {
    checkedInput(context.findStreamInfoSync(null), 'streams');
    return context;
  } catch (error) {
    context.closeInputSync();
    throw error;
  }
}

function chosenStreams(context: FormatContext): { video: Stream; audio: Stream | null } {
  const streams = context.streams;
  const best = context.findBestStream(AVMEDIA_TYPE_VIDEO);
  const video = streams[best] ?? null;
  // The cover of a record is no film.
  if (video === null || video.hasDisposition(AV_DISPOSITION_ATTACHED_PIC))
    throw new UndecodableError('The film has no video stream');
  const audio = streams[context.findBestStream(AVMEDIA_TYPE_AUDIO, -1, best)] ?? null;
  for (const stream of streams)
    if (stream.index !== video.index && stream.index !== audio?.index) stream.discard = AVDISCARD_ALL;
  return { video, audio: audio !== null && audio.codecpar.sampleRate > 0 ? audio : null };
}

function describedOf(context: FormatContext, video: Stream): Pick<OpenFilm, 'display' | 'startTicks'> {
  const display = displayOf(video);
  const { width, height } = video.codecpar;
  const tooLarge = [width, height, display.width, display.height].some((side) => side > limits.side);
  if (tooLarge || display.width * display.height > limits.pixels)
    throw new UndecodableError(
      `The film has too many pixels (maximum ${limits.side} on a side, ${limits.pixels / 1e6} million in all)`,
    );
  if (width < 1 || height < 1) throw new UndecodableError();
  const startTicks =
    video.startTime === unknownMoment
      ? Math.max(0, (Number(context.startTime) * 9) / 100)
      : ticksOf(video.startTime, video.timeBase);
  return { display, startTicks: Number.isSafeInteger(startTicks) ? startTicks : 0 };
}

function readerOf(context: FormatContext, video: Stream, audio: Stream | null) {
  return {
    *packets(): Generator<Packet> {
      using packet = new Packet();
      packet.alloc();
      while (context.readFrameSync(packet) >= 0) {
        if (packet.streamIndex === video.index || packet.streamIndex === audio?.index) yield packet;
        packet.unref();
      }
    },
    seek(atMs: number, at: 'keyframe' | 'frame' = 'keyframe'): boolean {
      const flags = at === 'frame' ? AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY : AVSEEK_FLAG_BACKWARD;
      const start = context.startTime === unknownMoment ? 0n : context.startTime;
      const moment = start + BigInt(Math.round(atMs * microsecondsPerMs));
      return context.seekFrameSync(-1, moment, flags as AVSeekFlag) >= 0;
    },
    [Symbol.dispose]: () => context.closeInputSync(),
  };
}
