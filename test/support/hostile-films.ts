// Films that lie, and files that are none: each with what it pretends to be. Whatever they name lies at the given canaries.
import { Buffer } from 'node:buffer';
import type { FilmType } from '../../src/videos/film.ts';
import { makeFilm } from './films.ts';

export type HostileFilm = { name: string; type: FilmType; bytes: Buffer; reason?: RegExp };

/** Texts that FFmpeg would follow if it were left to guess. */
export function scripts(canaryFile: string, canaryUrl: string): Record<string, string> {
  const hls = (address: string): string =>
    `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${address}\n#EXT-X-ENDLIST\n`;
  return {
    'a playlist of a file': hls(`file://${canaryFile}`),
    'a playlist of an address': hls(canaryUrl),
    'a playlist that concatenates': hls(`concat:${canaryFile}|${canaryUrl}`),
    'a playlist of a part': hls(`subfile,,start,0,end,64,,:${canaryFile}`),
    'a playlist with data': hls('data:text/plain;base64,I0VYVE0zVQo='),
    'a script of ffconcat': `ffconcat version 1.0\nfile '${canaryFile}'\nfile '${canaryUrl}'\n`,
    'a session description': `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${new URL(canaryUrl).port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
    'a manifest of DASH': `<?xml version="1.0"?><MPD type="static"><Period><AdaptationSet><Representation id="1" bandwidth="1"><BaseURL>${canaryUrl}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    'a pattern of pictures': `${canaryFile}%d.png\n`,
    'an address of concat': `concat:${canaryFile}`,
    'plain text': 'Not a film at all.\n'.repeat(100),
    nothing: '',
  };
}

export function lyingFilms(canaryFile: string): HostileFilm[] {
  const film = makeFilm({ seconds: 1 });
  const early = makeFilm({ seconds: 2, containerOptions: { movflags: 'faststart' } });
  const matroska = makeFilm({ container: 'mkv', seconds: 1, audio: false, width: 64, height: 64, gop: 1000 });
  const tiny = makeFilm({ container: 'mkv', frameRate: 1, seconds: 1, audio: false, width: 32, height: 32 });
  const undecodable = /cannot be decoded/;
  return [
    {
      name: 'without its end',
      type: 'video/mp4',
      bytes: film.subarray(0, film.length / 2),
      reason: undecodable,
    },
    {
      name: 'cut short',
      type: 'video/mp4',
      bytes: early.subarray(0, early.length * 0.7),
      reason: /cut short/,
    },
    { name: 'a head alone', type: 'video/mp4', bytes: film.subarray(0, 40), reason: undecodable },
    { name: 'noise after its head', type: 'video/mp4', bytes: noisy(film.subarray(0, 40), 100_000) },
    { name: 'noise in a broadcast', type: 'video/mp2t', bytes: noisy(Buffer.of(0x47), 200_000) },
    { name: 'an empty Matroska', type: 'video/x-matroska', bytes: matroska.subarray(0, 60) },
    {
      name: 'sound alone',
      type: 'video/mp4',
      bytes: makeFilm({ videoCodec: false }),
      reason: /no video stream/,
    },
    { name: 'ten hours in 2 KB', type: 'video/x-matroska', bytes: tenHours(tiny), reason: /far longer/ },
    { name: '30,000 pixels square', type: 'video/x-msvideo', bytes: hugeJpegs() },
    {
      name: 'a side too long',
      type: 'video/mp4',
      bytes: makeFilm({ width: 8200, height: 16, seconds: 1, audio: false }),
      reason: /too many pixels/,
    },
    { name: 'a million frames a second', type: 'video/mp4', bytes: faster(film), reason: /frames a second/ },
    { name: 'a thousand streams', type: 'video/mp4', bytes: manyTracks(film, 1000), reason: undecodable },
    { name: 'over 100 Mbit/s', type: 'video/mp4', bytes: padded(film, 30_000_000), reason: /100 Mbit/ },
    {
      name: 'a rare coding',
      type: 'video/x-msvideo',
      bytes: makeFilm({ container: 'avi', videoCodec: 'asv1', audio: false, seconds: 1 }),
      reason: /coding that this server does not take/,
    },
    { name: 'frames that lie elsewhere', type: 'video/quicktime', bytes: elsewhere(canaryFile) },
    { name: 'another container', type: 'video/webm', bytes: film, reason: undecodable },
  ];
}

/** Damaged, but perhaps still a film: nothing is said about it but that nobody falls over it. */
export function damagedFilms(count: number): HostileFilm[] {
  const kinds = [
    ['mp4', 'video/mp4'],
    ['webm', 'video/webm'],
    ['avi', 'video/x-msvideo'],
    ['ts', 'video/mp2t'],
    ['flv', 'video/x-flv'],
  ] as const;
  return kinds.flatMap(([container, type]) => {
    const film = makeFilm({ container, seconds: 1 });
    return Array.from({ length: count }, (_, seed) => ({
      name: `${container} damaged ${seed}`,
      type,
      bytes: damaged(film, seed + 1),
    }));
  });
}

function damaged(film: Buffer, seed: number): Buffer {
  const copy = Buffer.from(film);
  for (let hit = 0, state = seed; hit < 40; hit++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    copy[state % copy.length] = (state >>> 16) & 0xff;
  }
  return copy;
}

function noisy(head: Buffer, length: number): Buffer {
  const noise = Buffer.alloc(length);
  for (let at = 0, state = 7; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    noise[at] = state >>> 16;
  }
  return Buffer.concat([head, noise]);
}

/** Matroska writes its duration as a number of milliseconds. */
function tenHours(film: Buffer): Buffer {
  const copy = Buffer.from(film);
  const at = copy.indexOf(Buffer.of(0x44, 0x89, 0x88));
  if (at < 0) throw new Error('The film has no duration to change');
  copy.writeDoubleBE(36_000_000, at + 3);
  return copy;
}

/** In the header of the container and in that of every frame. */
function hugeJpegs(): Buffer {
  const film = makeFilm({
    container: 'avi',
    videoCodec: 'mjpeg',
    audio: false,
    seconds: 1,
    pixelFormat: 'yuvj420p',
  });
  for (let at = film.indexOf('strf'); at >= 0; at = film.indexOf('strf', at + 4)) {
    film.writeUInt32LE(30_000, at + 12);
    film.writeUInt32LE(30_000, at + 16);
  }
  const frameHeader = Buffer.of(0xff, 0xc0, 0x00, 0x11, 0x08);
  for (let at = film.indexOf(frameHeader); at >= 0; at = film.indexOf(frameHeader, at + 4)) {
    film.writeUInt16BE(30_000, at + 5);
    film.writeUInt16BE(30_000, at + 7);
  }
  return film;
}

function faster(film: Buffer): Buffer {
  const copy = Buffer.from(film);
  copy.writeUInt32BE(0x7fff_ffff, copy.indexOf('mdhd') + 16);
  return copy;
}

function padded(film: Buffer, length: number): Buffer {
  const box = Buffer.alloc(length);
  box.writeUInt32BE(length, 0);
  box.write('free', 4);
  return Buffer.concat([film, box]);
}

/** The head of the film lies at its end, where it may grow without moving anything. */
function manyTracks(film: Buffer, count: number): Buffer {
  const moov = film.indexOf('moov') - 4;
  const track = film.indexOf('trak', moov) - 4;
  const copy = film.subarray(track, track + film.readUInt32BE(track));
  const grown = Buffer.concat([
    film.subarray(0, track),
    ...Array<Buffer>(count).fill(copy),
    film.subarray(track),
  ]);
  grown.writeUInt32BE(film.readUInt32BE(moov) + count * copy.length, moov);
  return grown;
}

/** QuickTime lets the frames of a film lie in another file, named by an alias. */
function elsewhere(canaryFile: string): Buffer {
  const film = makeFilm({ container: 'mov', seconds: 1, audio: false });
  const entry = film.indexOf('dref') - 4 + 16;
  const alias = aliasOf(canaryFile);
  const grown = Buffer.concat([
    film.subarray(0, entry),
    alias,
    film.subarray(entry + film.readUInt32BE(entry)),
  ]);
  const growth = grown.length - film.length;
  for (const box of ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']) {
    const at = film.lastIndexOf(box, entry) - 4;
    grown.writeUInt32BE(film.readUInt32BE(at) + growth, at);
  }
  return grown;
}

function aliasOf(path: string): Buffer {
  const name = Buffer.from(path.replaceAll('/', ':'), 'latin1');
  const fixed = Buffer.alloc(12 + 10 + 28 + 12 + 64 + 16 + 4 + 16);
  fixed.write('alis', 4);
  // How many levels to go up and down: one each, so that the path counts.
  fixed.writeUInt16BE(1, fixed.length - 20);
  fixed.writeUInt16BE(1, fixed.length - 18);
  const tag = Buffer.alloc(4);
  tag.writeUInt16BE(2, 0);
  tag.writeUInt16BE(name.length, 2);
  const end = Buffer.of(0xff, 0xff, 0, 0);
  const padding = Buffer.alloc(name.length % 2);
  const alias = Buffer.concat([fixed, tag, name, padding, end]);
  alias.writeUInt32BE(alias.length, 0);
  return alias;
}
