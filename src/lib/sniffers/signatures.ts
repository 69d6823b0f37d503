// The kinds of files that fixed bytes at fixed places tell. The first match counts.
import { Buffer } from 'node:buffer';
import type { SniffedType } from './sniffed-type.ts';

type Part = { at: number; bytes: Buffer };
export type Signature = { parts: Part[]; is: SniffedType };

type Place = string | [at: number, bytes: string];

function signature(kind: SniffedType['kind'], type: string, label: string, ...places: Place[]): Signature {
  const parts = places.map((place) => {
    const [at, bytes] = typeof place === 'string' ? ([0, place] as const) : place;
    return { at, bytes: Buffer.from(bytes, 'latin1') };
  });
  return { parts, is: { kind, type, label } };
}

const image = (type: string, label: string, ...places: Place[]) => signature('image', type, label, ...places);
const video = (type: string, label: string, ...places: Place[]) => signature('video', type, label, ...places);
const refused = (type: string, label: string, ...places: Place[]) =>
  signature('refused', type, label, ...places);

// Two letters alone would match plain text, so that a Windows bitmap is told by the length of its second header too.
const bitmaps = [12, 40, 52, 56, 64, 108, 124].map((length) =>
  refused('image/bmp', 'a BMP picture', 'BM', [14, String.fromCharCode(length) + '\0\0\0']),
);

export const signatures: Signature[] = [
  image('image/jpeg', 'a JPEG picture', '\xff\xd8\xff'),
  image('image/png', 'a PNG picture', '\x89PNG\r\n\x1a\n'),
  image('image/gif', 'a GIF picture', 'GIF87a'),
  image('image/gif', 'a GIF picture', 'GIF89a'),
  image('image/webp', 'a WebP picture', 'RIFF', [8, 'WEBP']),
  video('video/x-msvideo', 'an AVI video', 'RIFF', [8, 'AVI ']),
  video('video/mpeg', 'an MPEG video', '\0\0\x01\xba'),
  video('video/x-flv', 'a Flash video', 'FLV\x01'),
  video(
    'video/x-ms-wmv',
    'a Windows Media video',
    '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c',
  ),
  video('video/ogg', 'an Ogg video', 'OggS\0'),
  refused('image/tiff', 'a TIFF picture', 'II*\0'),
  refused('image/tiff', 'a TIFF picture', 'MM\0*'),
  refused('image/tiff', 'a TIFF picture', 'II+\0'),
  refused('image/tiff', 'a TIFF picture', 'MM\0+'),
  refused('image/jxl', 'a JPEG XL picture', '\xff\x0a'),
  refused('image/jxl', 'a JPEG XL picture', '\0\0\0\x0cJXL \r\n\x87\n'),
  refused('image/jp2', 'a JPEG 2000 picture', '\0\0\0\x0cjP  \r\n\x87\n'),
  refused('image/jp2', 'a JPEG 2000 picture', '\xff\x4f\xff\x51'),
  refused('image/x-icon', 'an icon', '\0\0\x01\0'),
  refused('image/x-icon', 'a cursor', '\0\0\x02\0'),
  refused('image/vnd.adobe.photoshop', 'a Photoshop document', '8BPS\0'),
  refused('image/x-exr', 'an OpenEXR picture', '\x76\x2f\x31\x01'),
  refused('image/vnd.radiance', 'a Radiance picture', '#?RADIANCE'),
  refused('image/qoi', 'a QOI picture', 'qoif\0'),
  refused('image/vnd-ms.dds', 'a DirectDraw picture', 'DDS '),
  refused('image/x-fuji-raf', 'a raw camera picture', 'FUJIFILMCCD-RAW'),
  refused('image/x-olympus-orf', 'a raw camera picture', 'IIRO'),
  refused('image/x-panasonic-rw2', 'a raw camera picture', 'IIU\0'),
  refused('image/fits', 'a FITS picture', 'SIMPLE  ='),
  refused('image/x-xcf', 'a GIMP document', 'gimp xcf'),
  refused('image/x-mng', 'an MNG animation', '\x8aMNG\r\n\x1a\n'),
  refused('image/jng', 'a JNG picture', '\x8bJNG\r\n\x1a\n'),
  refused('application/dicom', 'a DICOM picture', [128, 'DICM']),
  ...bitmaps,
  refused('application/pdf', 'a PDF document', '%PDF-'),
  refused('application/postscript', 'a PostScript document', '%!PS'),
  refused('application/rtf', 'an RTF document', '{\\rtf'),
  refused('application/x-ole-storage', 'an Office document', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  refused('application/zip', 'a ZIP archive', 'PK\x03\x04'),
  refused('application/zip', 'a ZIP archive', 'PK\x05\x06'),
  refused('application/gzip', 'a gzip archive', '\x1f\x8b'),
  refused('application/x-bzip2', 'a bzip2 archive', 'BZh'),
  refused('application/x-xz', 'an xz archive', '\xfd7zXZ\0'),
  refused('application/zstd', 'a Zstandard archive', '\x28\xb5\x2f\xfd'),
  refused('application/x-7z-compressed', 'a 7z archive', '7z\xbc\xaf\x27\x1c'),
  refused('application/vnd.rar', 'a RAR archive', 'Rar!\x1a\x07'),
  refused('application/x-tar', 'a tar archive', [257, 'ustar']),
  refused('application/x-elf', 'a program', '\x7fELF'),
  refused('application/vnd.microsoft.portable-executable', 'a program', 'MZ\x90\0'),
  refused('application/java-vm', 'a program', '\xca\xfe\xba\xbe'),
  refused('application/wasm', 'a program', '\0asm'),
  refused('application/vnd.sqlite3', 'an SQLite database', 'SQLite format 3\0'),
  refused('font/woff2', 'a font', 'wOF2'),
  refused('font/woff', 'a font', 'wOFF'),
  refused('audio/wav', 'a WAV sound', 'RIFF', [8, 'WAVE']),
  refused('audio/mpeg', 'an MP3 sound', 'ID3'),
  refused('audio/mpeg', 'an MP3 sound', '\xff\xfb'),
  refused('audio/flac', 'a FLAC sound', 'fLaC'),
  refused('audio/midi', 'a MIDI sound', 'MThd'),
  refused('video/mpeg', 'an MPEG video without a container', '\0\0\x01\xb3'),
];
