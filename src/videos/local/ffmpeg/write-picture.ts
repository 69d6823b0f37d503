// One frame as a picture file: the packet that such an encoder answers with is the file.
import { writeFileSync } from 'node:fs';
import type { AVPixelFormat, FFEncoderCodec } from 'node-av/constants';
import { Codec, CodecContext, Packet } from 'node-av/lib';
import type { Frame } from 'node-av/lib';
import { checked } from './checked.ts';
import { tickBase } from './ticks.ts';

/** By FFmpeg's scale, on which 1 is the finest: from 2 nobody tells the picture from the frame. */
const qualities = { lossless: 2, good: 5 } as const;

export function writeJpeg(frame: Frame, path: string, quality: keyof typeof qualities = 'lossless'): void {
  writePicture(frame, path, 'mjpeg' as FFEncoderCodec, {
    flags: '+qscale',
    // In units of 1/118, as FFmpeg counts it.
    global_quality: String(qualities[quality] * 118),
    color_range: 'pc',
    strict: 'unofficial',
  });
}

function writePicture(
  frame: Frame,
  path: string,
  name: FFEncoderCodec,
  options: Record<string, string>,
): void {
  const codec = Codec.findEncoderByName(name);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  try {
    encoder.width = frame.width;
    encoder.height = frame.height;
    encoder.pixelFormat = frame.format as AVPixelFormat;
    encoder.timeBase = tickBase;
    for (const [key, value] of Object.entries(options)) checked(encoder.setOption(key, value), key);
    checked(encoder.open2Sync(codec), name as unknown as string);
    frame.pts = 0n;
    frame.quality = encoder.globalQuality;
    checked(encoder.sendFrameSync(frame), 'picture');
    checked(encoder.sendFrameSync(null), 'picture');
    using packet = new Packet();
    packet.alloc();
    checked(encoder.receivePacketSync(packet), 'picture');
    writeFileSync(path, packet.data as Buffer);
  } finally {
    encoder.freeContext();
  }
}
