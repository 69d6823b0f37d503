// A decoder of one stream. Damaged packets are passed over, as every player does; whoever needs a frame says so.
import { Codec, CodecContext, Frame } from 'node-av/lib';
import type { Packet, Stream } from 'node-av/lib';
import { decoderNames, decoderWhitelist, limits } from './accepted.ts';
import { UndecodableError, checked, checkedInput } from './checked.ts';

export type Decoder = Disposable & {
  readonly stream: Stream;
  /** The frames that a packet completes, or at the end (null) all that are left. The frame is the same each time. */
  frames(packet: Packet | null): Generator<Frame>;
  /** After a seek. */
  reset(): void;
};

export type DecoderOptions = { readonly threads: number; readonly keyframesOnly?: boolean };

export function openDecoder(stream: Stream, { threads, keyframesOnly = false }: DecoderOptions): Decoder {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (codec === null || !decoderNames.includes(codec.name ?? ''))
    throw new UndecodableError('The film is in a coding that this server does not take');
  const context = new CodecContext();
  context.allocContext3(codec);
  checkedInput(context.parametersToContext(stream.codecpar), 'decoder');
  context.pktTimebase = stream.timeBase;
  const options = {
    threads: String(threads),
    max_pixels: String(limits.pixels),
    codec_whitelist: decoderWhitelist,
    ...(keyframesOnly ? { skip_frame: 'nokey' } : {}),
  };
  // One by one: a dictionary given to open2Sync is freed twice.
  for (const [name, value] of Object.entries(options)) checked(context.setOption(name, value), name);
  checkedInput(context.open2Sync(codec), 'decoder');
  const frame = new Frame();
  frame.alloc();
  return {
    stream,
    *frames(packet) {
      // A damaged packet; the next may be whole.
      if (context.sendPacketSync(packet) < 0 && packet !== null) return;
      while (context.receiveFrameSync(frame) >= 0) {
        yield frame;
        frame.unref();
      }
    },
    reset: () => context.flushBuffers(),
    [Symbol.dispose]() {
      frame.free();
      context.freeContext();
    },
  };
}
