// Films for tests, made on the spot: a moving test picture and a tone in whatever container and coding is asked for. A
// film of two seconds at the default size takes a fraction of a second.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVFMT_GLOBALHEADER,
} from 'node-av/constants';
import type { AVPixelFormat, AVSampleFormat, FFEncoderCodec } from 'node-av/constants';
import {
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FilterGraph,
  FormatContext,
  Frame,
  Log,
  Packet,
  Rational,
} from 'node-av/lib';
import type { FilterContext, Stream } from 'node-av/lib';
import type { FilmFile, FilmType } from '../../src/videos/film.ts';

const containers = {
  mp4: ['mp4', 'video/mp4', 'libx264', 'aac'],
  m4v: ['mp4', 'video/x-m4v', 'libx264', 'aac'],
  mov: ['mov', 'video/quicktime', 'libx264', 'aac'],
  '3gp': ['3gp', 'video/3gpp', 'libx264', 'aac'],
  avi: ['avi', 'video/x-msvideo', 'mpeg4', 'libmp3lame'],
  mkv: ['matroska', 'video/x-matroska', 'libx264', 'aac'],
  webm: ['webm', 'video/webm', 'libvpx-vp9', 'libopus'],
  ts: ['mpegts', 'video/mp2t', 'libx264', 'aac'],
  mpeg: ['vob', 'video/mpeg', 'mpeg2video', 'mp2'],
  flv: ['flv', 'video/x-flv', 'libx264', 'aac'],
  wmv: ['asf', 'video/x-ms-wmv', 'wmv2', 'wmav2'],
  ogg: ['ogg', 'video/ogg', 'libtheora', 'libvorbis'],
} as const satisfies Record<string, readonly [string, FilmType, string, string]>;

export type Container = keyof typeof containers;

export type FilmOptions = {
  container?: Container;
  /** FFmpeg's name of an encoder; what is usual in the container by default. `false` leaves the picture out. */
  videoCodec?: string | false;
  /** The same for the sound. */
  audio?: string | boolean;
  seconds?: number;
  audioSeconds?: number;
  width?: number;
  height?: number;
  /** Clockwise, as a player has to turn it. MP4 and MOV only. */
  rotation?: 0 | 90 | 180 | 270;
  frameRate?: number;
  /** Frames between keyframes. */
  gop?: number;
  /** Frames come at uneven moments. */
  variable?: boolean;
  /** Everything begins that much later. */
  startSeconds?: number;
  /** Of a pixel, width to height: `4/3`. */
  pixelAspect?: `${number}/${number}`;
  pixelFormat?: string;
  interlaced?: boolean;
  /** Ten bits, BT.2020 and the given transfer, in HEVC. */
  hdr?: 'smpte2084' | 'arib-std-b67';
  /** Instead of the moving test picture: a source of FFmpeg's, such as `color=red`. */
  picture?: string;
  /** Options of the encoder and the container, by FFmpeg's names. */
  encoderOptions?: Record<string, string>;
  containerOptions?: Record<string, string>;
};

type Track = {
  readonly stream: Stream;
  readonly encoder: CodecContext;
  readonly source: FilterContext;
  readonly graph: FilterGraph;
  readonly uneven: boolean;
  readonly startSeconds: number;
  /** In the encoder's units; most encoders leave it open. */
  readonly frameDuration: bigint;
  frames: number;
  endSeconds: number;
  done: boolean;
};

export function makeFilm(options: FilmOptions = {}): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-film-'));
  try {
    return readFileSync(saveFilm(join(folder, 'film'), options).path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function saveFilm(path: string, options: FilmOptions = {}): FilmFile {
  Log.setLevel(AV_LOG_QUIET);
  const [format, type] = containers[options.container ?? 'mp4'];
  const output = new FormatContext();
  check(output.allocOutputContext2(null, format, `file:${path}`), 'container');
  const tracks = [videoTrack(output, options), audioTrack(output, options)].filter((track) => track !== null);
  check(output.openOutputSync(), 'file');
  check(
    output.writeHeaderSync(Dictionary.fromObject({ ...brandOf(options), ...options.containerOptions })),
    'header',
  );
  for (let track = earliest(tracks); track !== undefined; track = earliest(tracks)) encodeNext(output, track);
  check(output.writeTrailerSync(), 'trailer');
  output.closeOutputSync();
  for (const { encoder, graph } of tracks) {
    encoder.freeContext();
    graph.free();
  }
  output.freeContext();
  return { path, type };
}

/** What tells an M4V from an MP4. */
function brandOf({ container }: FilmOptions): Record<string, string> {
  return container === 'm4v' ? { brand: 'M4V ' } : {};
}

function videoTrack(output: FormatContext, options: FilmOptions): Track | null {
  const { container = 'mp4', frameRate = 25, seconds = 2, hdr, width = 320, height = 180 } = options;
  const name = options.videoCodec ?? (hdr ? 'libx265' : containers[container][2]);
  if (name === false) return null;
  const pixelFormat = options.pixelFormat ?? (hdr ? 'yuv420p10le' : 'yuv420p');
  const picture = options.picture ?? 'testsrc2';
  const size = `size=${width}x${height}:rate=${frameRate}:duration=${seconds}`;
  const colours = hdr
    ? `,setparams=color_primaries=bt2020:color_trc=${hdr}:colorspace=bt2020nc:range=tv`
    : '';
  const fields = options.interlaced ? ',setfield=tff' : '';
  const aspect = `,setsar=${options.pixelAspect ?? '1/1'}`;
  const chain = `${sized(picture, size)},format=${pixelFormat}${colours}${aspect}${fields}`;
  return newTrack(output, options, name, chain, 'buffersink', (encoder, source) => {
    encoder.width = width;
    encoder.height = height;
    encoder.pixelFormat = source.buffersinkGetFormat() as AVPixelFormat;
    encoder.framerate = new Rational(frameRate, 1);
    encoder.timeBase = new Rational(1, frameRate * (options.variable ? 4 : 1));
    encoder.sampleAspectRatio = source.buffersinkGetSampleAspectRatio();
    encoder.gopSize = options.gop ?? frameRate * 2;
    return {
      ...(name === 'libx264' || name === 'libx265' ? { preset: 'ultrafast' } : {}),
      ...(name === 'libx265' ? { 'x265-params': 'log-level=none' } : {}),
      ...(name === 'libvpx-vp9' ? { deadline: 'realtime', 'cpu-used': '8', b: '200k' } : {}),
      ...(hdr ? { color_primaries: 'bt2020', color_trc: hdr, colorspace: 'bt2020nc' } : {}),
      ...(options.interlaced ? { flags: '+ildct+ilme' } : {}),
      ...options.encoderOptions,
    };
  });
}

/** The picture may be a whole chain, of which the first filter is the source. */
function sized(picture: string, size: string): string {
  const [source = '', ...rest] = picture.split(/,(?![^']*'(?:[^']*'[^']*')*[^']*$)/);
  return [`${source}${source.includes('=') ? ':' : '='}${size}`, ...rest].join(',');
}

function audioTrack(output: FormatContext, options: FilmOptions): Track | null {
  const { container = 'mp4', audio = true, seconds = 2 } = options;
  if (audio === false) return null;
  const name = audio === true ? containers[container][3] : audio;
  const duration = options.audioSeconds ?? seconds;
  const format = name === 'libopus' ? 'flt' : name === 'mp2' || name.startsWith('pcm') ? 's16' : 'fltp';
  const chain = `sine=frequency=440:sample_rate=48000:duration=${duration},aformat=sample_fmts=${format}:channel_layouts=stereo,asetnsamples=1024:p=0`;
  return newTrack(output, options, name, chain, 'abuffersink', (encoder, source) => {
    encoder.sampleRate = 48_000;
    encoder.channelLayout = source.buffersinkGetChannelLayout();
    encoder.sampleFormat = source.buffersinkGetFormat() as AVSampleFormat;
    encoder.timeBase = new Rational(1, 48_000);
    encoder.bitRate = 96_000n;
    return {};
  });
}

function newTrack(
  output: FormatContext,
  { variable = false, startSeconds = 0, rotation = 0 }: FilmOptions,
  name: string,
  chain: string,
  sink: 'buffersink' | 'abuffersink',
  prepare: (encoder: CodecContext, source: FilterContext) => Record<string, string>,
): Track {
  const isVideo = sink === 'buffersink';
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (codec === null) throw new Error(`There is no encoder ${name}`);
  let { graph, source } = openGraph(chain, sink);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  const options = prepare(encoder, source);
  if (((output.oformat?.flags ?? 0) & AVFMT_GLOBALHEADER) !== 0)
    encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  // A dictionary given to open2Sync is freed twice.
  for (const [key, value] of Object.entries({ threads: '1', ...options }))
    check(encoder.setOption(key, value), `${name} ${key}`);
  check(encoder.open2Sync(codec), name);
  if (!isVideo && encoder.frameSize > 0) {
    graph.free();
    ({ graph, source } = openGraph(
      chain.replace('asetnsamples=1024', `asetnsamples=${encoder.frameSize}`),
      sink,
    ));
  }
  const stream = output.newStream(null);
  check(stream.codecpar.fromContext(encoder), 'parameters');
  stream.timeBase = encoder.timeBase;
  if (isVideo && rotation !== 0)
    stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, displayMatrix(rotation));
  const uneven = isVideo && variable;
  const frameDuration = isVideo ? (variable ? 4n : 1n) : 0n;
  return {
    stream,
    encoder,
    source,
    graph,
    uneven,
    startSeconds,
    frameDuration,
    frames: 0,
    endSeconds: 0,
    done: false,
  };
}

function openGraph(chain: string, sink: string): { graph: FilterGraph; source: FilterContext } {
  const graph = new FilterGraph();
  graph.alloc();
  check(graph.parsePtr(`${chain},${sink}@out`), chain);
  check(graph.configSync(), chain);
  const source = graph.getFilter(`${sink}@out`);
  if (source === null) throw new Error('The graph has no end');
  return { graph, source };
}

function earliest(tracks: readonly Track[]): Track | undefined {
  return tracks
    .filter(({ done }) => !done)
    .toSorted((one, other) => one.endSeconds - other.endSeconds)
    .at(0);
}

function encodeNext(output: FormatContext, track: Track): void {
  using frame = new Frame();
  frame.alloc();
  track.done = track.source.buffersinkGetFrameSync(frame) < 0;
  if (!track.done) {
    const from = track.source.buffersinkGetTimeBase();
    const to = track.encoder.timeBase;
    const seconds = (Number(frame.pts) * from.num) / from.den;
    track.endSeconds = seconds;
    const scaled = Math.round((seconds * to.den) / to.num);
    // Every third frame comes half its length late.
    const late = track.uneven && track.frames % 3 === 1 ? 2 : 0;
    frame.pts = BigInt(scaled + late + Math.round((track.startSeconds * to.den) / to.num));
    frame.pictType = AV_PICTURE_TYPE_NONE;
    track.frames += 1;
  }
  check(track.encoder.sendFrameSync(track.done ? null : frame), 'frame');
  using packet = new Packet();
  packet.alloc();
  while (track.encoder.receivePacketSync(packet) >= 0) {
    packet.streamIndex = track.stream.index;
    if (packet.duration === 0n) packet.duration = track.frameDuration;
    packet.rescaleTs(track.encoder.timeBase, track.stream.timeBase);
    check(output.interleavedWriteFrameSync(packet), 'packet');
  }
}

/** Turns clockwise; nine numbers, of which the last column has 30 bits after the point and the others 16. */
function displayMatrix(degrees: number): Buffer {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const matrix = Buffer.alloc(36);
  const parts = [cos, sin, 0, -sin, cos, 0, 0, 0, 1 << 14];
  parts.forEach((part, index) => matrix.writeInt32LE(Math.round(part * 65_536), index * 4));
  return matrix;
}

function check(code: number, what: string): void {
  FFmpegError.throwIfError(code, what);
}
