// Reads a stream back as a player does: from the master playlist over the media playlists to the packets of every segment.
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrack } from '../../src/videos/local/ffmpeg/open-film.ts';
import { openDecoder } from '../../src/videos/local/ffmpeg/decoder.ts';

export type ReadPacket = { seconds: number; keyframe: boolean };
export type ReadTrack = {
  addresses: string[];
  durations: number[];
  packets: ReadPacket[];
  /** As their colours are tagged, sizes and so on: of the coded stream. */
  parameters: Record<string, number>;
  /** Moments of all frames that decode. */
  frames: number[];
};

export function readMaster(folder: string): { text: string; pictures: string[]; sound: string | null } {
  const text = readFileSync(join(folder, 'master.m3u8'), 'utf8');
  const pictures = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { text, pictures, sound: /URI="([^"]+)"/.exec(text)?.[1] ?? null };
}

export function readTrack(folder: string, playlist: string): ReadTrack {
  const text = readFileSync(join(folder, playlist), 'utf8');
  const segments = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const header = /#EXT-X-MAP:URI="([^"]+)"/.exec(text)?.[1] ?? '';
  const addresses = [header, ...segments];
  const durations = [...text.matchAll(/#EXTINF:([\d.]+),/g)].map(([, seconds]) => Number(seconds));
  return { addresses, durations, ...readPackets(addresses.map((address) => join(folder, address))) };
}

function readPackets(files: readonly string[]): Pick<ReadTrack, 'packets' | 'parameters' | 'frames'> {
  const scratch = mkdtempSync(join(tmpdir(), 'tintype-track-'));
  try {
    const path = join(scratch, 'whole');
    for (const file of files) appendFileSync(path, readFileSync(file));
    using track = openTrack({ path, type: 'video/mp4' });
    using decoder = openDecoder(track.stream, { threads: 1 });
    const { num, den } = track.stream.timeBase;
    const seconds = (moment: bigint): number => (Number(moment) * num) / den;
    const packets: ReadPacket[] = [];
    const frames: number[] = [];
    for (const packet of track.packets()) {
      packets.push({ seconds: seconds(packet.pts), keyframe: packet.isKeyframe });
      for (const frame of decoder.frames(packet)) frames.push(seconds(frame.pts));
    }
    for (const frame of decoder.frames(null)) frames.push(seconds(frame.pts));
    return { packets, frames, parameters: track.stream.codecpar.toJSON() as Record<string, number> };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
