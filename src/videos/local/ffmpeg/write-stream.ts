// The playlists beside the segments, and what there is then.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamFolder } from '../../film.ts';
import { initName, masterPlaylist, mediaPlaylist, peakBandwidth, segmentName } from '../playlists.ts';
import type { StreamDescription } from '../playlists.ts';

export function writePlaylists(folder: string, stream: StreamDescription): StreamFolder {
  const { pictures, sound } = stream;
  const tracks = sound === null ? pictures : [...pictures, sound];
  for (const track of tracks) writeFileSync(join(folder, `${track.name}.m3u8`), mediaPlaylist(track));
  writeFileSync(join(folder, 'master.m3u8'), masterPlaylist(stream));
  const soundBandwidth = sound === null ? 0 : peakBandwidth(sound);
  return {
    files: [
      ...tracks.flatMap(({ name, segments }) => [
        `${name}/${initName}`,
        ...segments.map((_, index) => `${name}/${segmentName(index)}`),
        `${name}.m3u8`,
      ]),
      // Last, so that whoever finds it finds everything.
      'master.m3u8',
    ],
    renditions: pictures.map((picture) => ({
      name: picture.name,
      width: picture.width,
      height: picture.height,
      bandwidth: peakBandwidth(picture) + soundBandwidth,
    })),
  };
}
