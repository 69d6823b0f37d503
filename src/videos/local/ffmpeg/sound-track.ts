// The sound of a film as one track that all rungs share: stereo, from zero to the end of the film without a gap.
import type { AVSampleFormat } from 'node-av/constants';
import { avChannelLayoutDefault, avChannelLayoutDescribe, avGetSampleFmtName } from 'node-av/lib';
import type { Frame } from 'node-av/lib';
import type { Track } from '../playlists.ts';
import { openSoundEncoder, soundRate } from './encoder.ts';
import type { Encoder } from './encoder.ts';
import { openFilterChain } from './filter-chain.ts';
import type { FilterChain } from './filter-chain.ts';
import type { OpenFilm } from './open-film.ts';
import { createSegmentWriter } from './segment-writer.ts';
import type { SegmentWriter } from './segment-writer.ts';
import { fromTicks, momentOf, ticksPerSecond } from './ticks.ts';

const samplesPerPacket = 1024;

export type SoundTrack = {
  take(frame: Frame): void;
  /** How far it reaches, in ticks from the beginning of the film. */
  endTicks(): number;
  /** Null when there was not one sound. */
  finish(): Track | null;
};

export function createSoundTrack(film: OpenFilm, folder: string, durationMs: number): SoundTrack {
  let filters: { chain: FilterChain; kind: string } | null = null;
  let encoder: Encoder | null = null;
  let writer: SegmentWriter | null = null;
  let end = 0;
  let samples = 0;

  function drain(): void {
    const output = filters?.chain.outputs[0];
    if (output === undefined) return;
    for (const frame of output.frames()) {
      encoder ??= openSoundEncoder(output.sink);
      writer ??= createSegmentWriter({ folder, name: 'audio', parameters: encoder.parameters });
      // Counted, so that a second round of filters goes on where the first ended.
      frame.pts = BigInt(samples);
      samples += frame.nbSamples;
      for (const packet of encoder.packets(frame)) writer.write(packet);
    }
  }

  function endFilters(): void {
    filters?.chain.push(null);
    drain();
    filters?.chain[Symbol.dispose]();
    filters = null;
  }

  function prepareFilters(frame: Frame): FilterChain {
    const kind = sourceFilter(frame);
    if (filters?.kind === kind) return filters.chain;
    endFilters();
    const first = samples === 0 ? `:first_pts=0` : '';
    const description = [
      kind,
      `aresample=${soundRate}:async=1${first}`,
      'aformat=sample_fmts=fltp:channel_layouts=stereo',
      `apad=whole_dur=${durationMs}ms`,
      `asetnsamples=n=${samplesPerPacket}:p=0`,
      'abuffersink@out0',
    ].join(',');
    const chain = openFilterChain('audio', description, 1);
    filters = { chain, kind };
    return chain;
  }

  return {
    endTicks: () => end,
    take(frame) {
      const moment = momentOf(frame, (film.audio as NonNullable<OpenFilm['audio']>).timeBase);
      const ticks = moment === null ? end : moment - film.startTicks;
      const chain = prepareFilters(frame);
      end = Math.max(end, ticks + (frame.nbSamples / frame.sampleRate) * ticksPerSecond);
      frame.pts = fromTicks(ticks, { num: 1, den: frame.sampleRate });
      chain.push(frame);
      drain();
    },
    finish() {
      endFilters();
      if (encoder === null || writer === null) return null;
      for (const packet of encoder.packets(null)) writer.write(packet);
      encoder[Symbol.dispose]();
      return writer.finish();
    },
  };
}

function sourceFilter(frame: Frame): string {
  // Some files do not say which channel is which.
  const layout =
    frame.channelLayout.mask === 0n ? avChannelLayoutDefault(frame.channels) : frame.channelLayout;
  const [format, channels] = [
    avGetSampleFmtName(frame.format as AVSampleFormat),
    avChannelLayoutDescribe(layout),
  ];
  return `abuffer@in=sample_rate=${frame.sampleRate}:sample_fmt=${format}:channel_layout=${channels}:time_base=1/${frame.sampleRate}`;
}
