// Writes one track as fragmented MP4 files, a new one at the first keyframe at or after every four seconds, so that the
// segments of all renditions of a film begin at the same moments.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AVIO_FLAG_WRITE } from 'node-av/constants';
import { Dictionary, FormatContext, IOContext, avGetCodecString } from 'node-av/lib';
import type { CodecParameters, Packet, Stream } from 'node-av/lib';
import { initName, segmentName } from '../playlists.ts';
import type { Segment, Track } from '../playlists.ts';
import { checked } from './checked.ts';
import { tickBase, ticksPerSecond } from './ticks.ts';

const segmentTicks = 4 * ticksPerSecond;

export type SegmentWriter = {
  /** The packet's moments are in ticks. */
  write(packet: Packet): void;
  finish(): Track;
};

export type SegmentWriterOptions = {
  readonly folder: string;
  readonly name: string;
  readonly parameters: CodecParameters;
};

/** The moment from which on the next keyframe begins a segment. */
export function nextBoundary(ticks: number): number {
  return (Math.floor(Math.max(0, ticks) / segmentTicks) + 1) * segmentTicks;
}

export function createSegmentWriter({ folder, name, parameters }: SegmentWriterOptions): SegmentWriter {
  const inFolder = (file: string): string => join(folder, name, file);
  mkdirSync(inFolder(''), { recursive: true });
  const { output, stream } = openOutput(parameters, inFolder(initName));
  const segments: Segment[] = [];
  let file = writeTo(output, inFolder(initName));
  let isHeaderWritten = false;
  let first: number | null = null;
  let end = 0;
  let boundary = 0;
  let held: Packet | null = null;

  checked(output.writeHeaderSync(Dictionary.fromObject(muxerOptions)), 'header');

  function flush(): void {
    checked(output.writeFrameSync(null), 'segment');
    output.flushSync();
    checked(file.closepSync(), 'segment');
  }

  /**
   * A packet waits for the next, which tells how long it lasts in the order of decoding: FFmpeg lets every fragment begin
   * where the durations of the one before end, whatever the moments of its packets.
   */
  function release(nextDts: bigint | null): void {
    if (held === null) return;
    if (nextDts !== null) held.duration = nextDts - held.dts;
    held.rescaleTs(tickBase, stream.timeBase);
    held.streamIndex = 0;
    checked(output.writeFrameSync(held), 'packet');
    held.free();
    held = null;
  }

  function endSegment(nextFirst: number): void {
    if (!isHeaderWritten) {
      // The header waits for the first packets, since it tells how far their moments lie before zero.
      flush();
      isHeaderWritten = true;
      file = writeTo(output, inFolder(segmentName(0)));
    }
    flush();
    const { size } = statSync(inFolder(segmentName(segments.length)));
    segments.push({
      durationSeconds: Math.max(1, nextFirst - (first as number)) / ticksPerSecond,
      bytes: size,
    });
  }

  return {
    write(packet) {
      const moment = Number(packet.pts);
      release(packet.dts);
      if (first !== null && packet.isKeyframe && moment >= boundary) {
        endSegment(moment);
        file = writeTo(output, inFolder(segmentName(segments.length)));
        first = null;
      }
      if (first === null) {
        // What lies before zero is only there to start the decoder.
        first = segments.length === 0 ? Math.max(0, moment) : moment;
        boundary = nextBoundary(moment);
      }
      end = Math.max(end, moment + Number(packet.duration));
      held = packet.clone();
    },
    finish() {
      release(null);
      endSegment(end);
      const codec = avGetCodecString(stream.codecpar);
      output.pb = null;
      output.freeContext();
      if (codec === null) throw new Error(`The track ${name} has no name of its coding`);
      return { name, codec, segments };
    },
  };
}

const muxerOptions = {
  movflags: 'frag_custom+delay_moov+default_base_moof+skip_trailer',
  use_editlist: '1',
  avoid_negative_ts: 'disabled',
};

function openOutput(parameters: CodecParameters, path: string): { output: FormatContext; stream: Stream } {
  const output = new FormatContext();
  checked(output.allocOutputContext2(null, 'mp4', `file:${path}`), 'segments');
  const stream = output.newStream(null);
  checked(parameters.copy(stream.codecpar), 'segments');
  // The source's container may have called it otherwise.
  stream.codecpar.codecTag = 0;
  stream.timeBase = tickBase;
  return { output, stream };
}

function writeTo(output: FormatContext, path: string): IOContext {
  const file = new IOContext();
  checked(file.open2Sync(`file:${path}`, AVIO_FLAG_WRITE), 'segment');
  output.pb = file;
  return file;
}
