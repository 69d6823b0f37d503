import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masterPlaylist, mediaPlaylist, peakBandwidth, withPrefix } from './playlists.ts';
import type { PictureTrack, StreamDescription, Track } from './playlists.ts';

const segments = [
  { durationSeconds: 4, bytes: 100_000 },
  { durationSeconds: 4.004, bytes: 50_050 },
  { durationSeconds: 0.5, bytes: 15_000 },
];
const picture: PictureTrack = {
  name: '720p',
  codec: 'avc1.64001f',
  segments,
  width: 1280,
  height: 720,
  frameRate: 30_000 / 1001,
};
const sound: Track = {
  name: 'audio',
  codec: 'mp4a.40.2',
  segments: [{ durationSeconds: 8, bytes: 128_000 }],
};
const stream: StreamDescription = { pictures: [picture, { ...picture, name: '480p' }], sound };

test('the master names every rung with what it takes to play it', () => {
  assert.equal(
    masterPlaylist({ pictures: [picture], sound }),
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="audio",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=328000,AVERAGE-BANDWIDTH=283269,RESOLUTION=1280x720,FRAME-RATE=29.970,CODECS="avc1.64001f,mp4a.40.2",AUDIO="sound"',
      '720p.m3u8',
      '',
    ].join('\n'),
  );
});

test('a silent film of unknown speed has no group and no frame rate', () => {
  const master = masterPlaylist({ pictures: [{ ...picture, frameRate: 0 }], sound: null });
  assert.doesNotMatch(master, /AUDIO|FRAME-RATE|mp4a/);
  assert.match(master, /CODECS="avc1\.64001f"\n720p\.m3u8\n$/);
});

test('a media playlist is whole, exact and relative', () => {
  assert.equal(
    mediaPlaylist(picture),
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-TARGETDURATION:4',
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-PLAYLIST-TYPE:VOD',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MAP:URI="720p/init.mp4"',
      '#EXTINF:4.000000,',
      '720p/00000.m4s',
      '#EXTINF:4.004000,',
      '720p/00001.m4s',
      '#EXTINF:0.500000,',
      '720p/00002.m4s',
      '#EXT-X-ENDLIST',
      '',
    ].join('\n'),
  );
});

test('a prefix goes before every address and changes nothing else', () => {
  const prefixed = withPrefix(masterPlaylist(stream), 'hls/abc/');
  assert.equal(prefixed.replaceAll('hls/abc/', ''), masterPlaylist(stream));
  assert.deepEqual(prefixed.match(/hls\/abc\/\w+\.m3u8/g), [
    'hls/abc/audio.m3u8',
    'hls/abc/720p.m3u8',
    'hls/abc/480p.m3u8',
  ]);
  assert.match(
    withPrefix(mediaPlaylist(picture), 'x/'),
    /URI="x\/720p\/init\.mp4"[^]*\nx\/720p\/00000\.m4s\n/,
  );
});

test('a short last segment does not count as the peak, unless it is all there is', () => {
  assert.equal(peakBandwidth(picture), 200_000);
  assert.equal(peakBandwidth({ ...picture, segments: [{ durationSeconds: 0.5, bytes: 1000 }] }), 16_000);
});
