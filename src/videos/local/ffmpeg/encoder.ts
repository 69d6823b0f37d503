// The encoders of our streams: H.264 and AAC that every browser and telephone plays.
import { AV_CODEC_FLAG_FRAME_DURATION, AV_CODEC_FLAG_GLOBAL_HEADER } from 'node-av/constants';
import type { AVPixelFormat, AVSampleFormat, FFEncoderCodec } from 'node-av/constants';
import { Codec, CodecContext, CodecParameters, Packet, Rational } from 'node-av/lib';
import type { FilterContext, Frame } from 'node-av/lib';
import type { Rung } from '../ladder.ts';
import { checked } from './checked.ts';
import { tickBase } from './ticks.ts';

export const soundRate = 48_000;
const soundBitRate = 128_000n;
const crf = '23';
/** Only a bound: keyframes are asked for where segments begin. */
const maxGop = 600;

export type Encoder = Disposable & {
  readonly parameters: CodecParameters;
  /** The packets that a frame completes, or at the end (null) all that are left, with moments in ticks. */
  packets(frame: Frame | null): Generator<Packet>;
};

/** The first frame tells the colours. */
export function openVideoEncoder(
  rung: Rung,
  first: Frame,
  how: { frameRate: number; threads: number },
): Encoder {
  const { context, open } = prepare('libx264');
  // Otherwise nobody knows how long the last frame is shown.
  context.setFlags(AV_CODEC_FLAG_FRAME_DURATION);
  context.width = first.width;
  context.height = first.height;
  context.pixelFormat = first.format as AVPixelFormat;
  context.timeBase = tickBase;
  if (how.frameRate > 0) context.framerate = new Rational(Math.round(how.frameRate * 1000), 1000);
  context.sampleAspectRatio = new Rational(1, 1);
  context.gopSize = maxGop;
  context.colorRange = first.colorRange;
  context.colorSpace = first.colorSpace;
  context.colorPrimaries = first.colorPrimaries;
  context.colorTrc = first.colorTrc;
  return open({
    preset: 'veryfast',
    crf,
    profile: 'high',
    maxrate: String(rung.maxBitRate),
    bufsize: String(rung.maxBitRate * 2),
    'forced-idr': '1',
    threads: String(how.threads),
  });
}

export function openSoundEncoder(source: FilterContext): Encoder {
  const { context, open } = prepare('aac');
  context.sampleRate = soundRate;
  context.channelLayout = source.buffersinkGetChannelLayout();
  context.sampleFormat = source.buffersinkGetFormat() as AVSampleFormat;
  context.timeBase = new Rational(1, soundRate);
  context.bitRate = soundBitRate;
  return open({ threads: '1' });
}

function prepare(name: string) {
  const codec = Codec.findEncoderByName(name as unknown as FFEncoderCodec);
  if (codec === null) throw new Error(`There is no encoder ${name}`);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  const open = (options: Record<string, string>): Encoder => {
    // One by one: a dictionary given to open2Sync is freed twice.
    for (const [key, value] of Object.entries(options)) checked(context.setOption(key, value), key);
    checked(context.open2Sync(codec), name);
    const parameters = new CodecParameters();
    parameters.alloc();
    checked(parameters.fromContext(context), name);
    return encoderOf(context, parameters);
  };
  return { context, open };
}

function encoderOf(context: CodecContext, parameters: CodecParameters): Encoder {
  const packet = new Packet();
  packet.alloc();
  return {
    parameters,
    *packets(frame) {
      checked(context.sendFrameSync(frame), 'encoder');
      while (context.receivePacketSync(packet) >= 0) {
        packet.rescaleTs(context.timeBase, tickBase);
        yield packet;
        packet.unref();
      }
    },
    [Symbol.dispose]() {
      packet.free();
      parameters.free();
      context.freeContext();
    },
  };
}
