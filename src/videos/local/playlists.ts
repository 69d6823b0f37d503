// The playlists of a stream (HLS, RFC 8216): pure text from what the segments turned out to be. Addresses are relative, so
// that the same files play wherever they are served.

export type Segment = { readonly durationSeconds: number; readonly bytes: number };

export type Track = {
  /** Of its playlist and of the folder of its segments. */
  readonly name: string;
  /** As RFC 6381 writes it: avc1.640028, mp4a.40.2. */
  readonly codec: string;
  readonly segments: readonly Segment[];
};

export type PictureTrack = Track & {
  readonly width: number;
  readonly height: number;
  /** 0 when unknown. */
  readonly frameRate: number;
};

export type StreamDescription = {
  /** From the largest to the smallest. */
  readonly pictures: readonly PictureTrack[];
  readonly sound: Track | null;
};

export const initName = 'init.mp4';

export function segmentName(index: number): string {
  return `${String(index).padStart(5, '0')}.m4s`;
}

export function masterPlaylist({ pictures, sound }: StreamDescription): string {
  const group = 'sound';
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  if (sound !== null)
    lines.push(
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${group}",NAME="${sound.name}",DEFAULT=YES,AUTOSELECT=YES,URI="${sound.name}.m3u8"`,
    );
  for (const picture of pictures) {
    const tracks = sound === null ? [picture] : [picture, sound];
    const attributes = [
      `BANDWIDTH=${sum(tracks, peakBandwidth)}`,
      `AVERAGE-BANDWIDTH=${sum(tracks, averageBandwidth)}`,
      `RESOLUTION=${picture.width}x${picture.height}`,
      ...(picture.frameRate > 0 ? [`FRAME-RATE=${picture.frameRate.toFixed(3)}`] : []),
      `CODECS="${tracks.map(({ codec }) => codec).join(',')}"`,
      ...(sound === null ? [] : [`AUDIO="${group}"`]),
    ];
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, `${picture.name}.m3u8`);
  }
  return `${lines.join('\n')}\n`;
}

export function mediaPlaylist({ name, segments }: Track): string {
  const longest = Math.max(...segments.map(({ durationSeconds }) => durationSeconds));
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(longest))}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${name}/${initName}"`,
    ...segments.flatMap(({ durationSeconds }, index) => [
      `#EXTINF:${durationSeconds.toFixed(6)},`,
      `${name}/${segmentName(index)}`,
    ]),
    '#EXT-X-ENDLIST',
  ];
  return `${lines.join('\n')}\n`;
}

/** The same playlist for a place from which its files lie below `prefix`. */
export function withPrefix(playlist: string, prefix: string): string {
  return playlist
    .split('\n')
    .map((line) =>
      line === '' || line.startsWith('#')
        ? line.replace(/\bURI="([^"]*)"/, (_, address: string) => `URI="${prefix}${address}"`)
        : `${prefix}${line}`,
    )
    .join('\n');
}

/** In bits per second. A short rest at the end says nothing about what a player must be able to load. */
export function peakBandwidth(track: Track): number {
  const { segments } = track;
  const longest = Math.max(...segments.map(({ durationSeconds }) => durationSeconds));
  const telling = segments.filter(({ durationSeconds }) => durationSeconds >= longest / 2);
  const peak = Math.max(...telling.map(({ bytes, durationSeconds }) => (bytes * 8) / durationSeconds));
  return Math.max(Math.ceil(peak), averageBandwidth(track));
}

export function averageBandwidth({ segments }: Track): number {
  const seconds = sum(segments, ({ durationSeconds }) => durationSeconds);
  return Math.ceil((sum(segments, ({ bytes }) => bytes) * 8) / seconds);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((whole, item) => whole + of(item), 0);
}
