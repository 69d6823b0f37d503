// One MP4 to download, that begins to play before it is loaded: streams copied, nothing encoded.
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_H264,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
} from 'node-av/constants';
import { Dictionary, FormatContext } from 'node-av/lib';
import type { Packet, Stream } from 'node-av/lib';
import type { FilmFile } from '../../film.ts';
import { checked } from './checked.ts';
import { openFilm, openTrack } from './open-film.ts';
import type { OpenTrack } from './open-film.ts';
import type { Pace } from './pace.ts';
import { tickBase, unknownMoment } from './ticks.ts';

/** False when the film's own streams are not what an MP4 for everybody holds. */
export async function writeOwnMp4(file: FilmFile, path: string, pace: Pace): Promise<boolean> {
  using film = openFilm(file);
  const { codecId, format } = film.video.codecpar;
  const isPlain = format === AV_PIX_FMT_YUV420P || format === AV_PIX_FMT_YUVJ420P;
  const hasPlainSound = film.audio === null || film.audio.codecpar.codecId === AV_CODEC_ID_AAC;
  if (codecId !== AV_CODEC_ID_H264 || !isPlain || !hasPlainSound) return false;
  const streams = film.audio === null ? [film.video] : [film.video, film.audio];
  const source = { streams, startTicks: film.startTicks, packets: film.packets() };
  return await copy([source], path, pace).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // What an MP4 refuses, such as moments that are missing, our own rungs have in order.
      if (error.code === undefined) return false;
      throw error;
    },
  );
}

export async function writeMp4(files: readonly FilmFile[], path: string, pace: Pace): Promise<void> {
  using open = new DisposableStack();
  const sources = files.map((file): Source => {
    const track: OpenTrack = open.use(openTrack(file));
    return { streams: [track.stream], startTicks: 0, packets: track.packets() };
  });
  await copy(sources, path, pace);
}

type Source = {
  readonly streams: readonly Stream[];
  readonly startTicks: number;
  readonly packets: Iterator<Packet>;
};

type Reading = Source & { readonly targets: Map<number, Stream>; next: Packet | null; moment: number };

async function copy(sources: readonly Source[], path: string, pace: Pace): Promise<void> {
  const output = new FormatContext();
  checked(output.allocOutputContext2(null, 'mp4', `file:${path}`), 'mp4');
  try {
    const readings = sources.map((source): Reading => {
      const targets = new Map(source.streams.map((stream) => [stream.index, newStream(output, stream)]));
      return { ...source, targets, next: null, moment: 0 };
    });
    checked(output.openOutputSync(), 'mp4');
    checked(output.writeHeaderSync(Dictionary.fromObject({ movflags: 'faststart' })), 'mp4');
    for (const reading of readings) readNext(reading);
    for (let reading = earliest(readings); reading !== undefined; reading = earliest(readings)) {
      const packet = reading.next as Packet;
      const target = reading.targets.get(packet.streamIndex) as Stream;
      packet.rescaleTs(tickBase, target.timeBase);
      packet.streamIndex = target.index;
      checked(output.interleavedWriteFrameSync(packet), 'mp4');
      readNext(reading);
      await pace.at(0);
    }
    checked(output.writeTrailerSync(), 'mp4');
  } finally {
    output.closeOutputSync();
    output.freeContext();
  }
}

function newStream(output: FormatContext, source: Stream): Stream {
  const stream = output.newStream(null);
  checked(source.codecpar.copy(stream.codecpar), 'mp4');
  stream.codecpar.codecTag = 0;
  stream.timeBase = tickBase;
  return stream;
}

function earliest(readings: readonly Reading[]): Reading | undefined {
  return readings
    .filter(({ next }) => next !== null)
    .toSorted((one, other) => one.moment - other.moment)
    .at(0);
}

/** The packet's moments are then in ticks from the beginning of the film. */
function readNext(reading: Reading): void {
  const { done, value: packet } = reading.packets.next();
  reading.next = done ? null : packet;
  if (done) return;
  const stream = reading.streams.find(({ index }) => index === packet.streamIndex) as Stream;
  if (packet.pts === unknownMoment || packet.dts === unknownMoment) throw new Error('A packet has no moment');
  packet.rescaleTs(stream.timeBase, tickBase);
  packet.pts -= BigInt(reading.startTicks);
  packet.dts -= BigInt(reading.startTicks);
  reading.moment = Number(packet.dts);
}
