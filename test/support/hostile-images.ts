// Files made to break an image service, each with the status an upload of it must be answered with.
import { avifGrid, avifNaming, avifOf, box, nestedBoxes } from './avif-builder.ts';
import { jpegWithScans, riffChunk, webpAnimation, webpCanvas, webpFlags } from './jpeg-and-webp-builders.ts';
import { webpFrame, webpOf, webpPixel } from './jpeg-and-webp-builders.ts';
import { imageBombs } from './image-bombs.ts';
import { htmlNamedJpg, notPictures, zip } from './not-pictures.ts';
import { gifOf, gifWithFrames, pngBomb, pngChunk, pngHeader } from './png-and-gif-builders.ts';
import { pngHeaderOnly, pngSignature } from './png-and-gif-builders.ts';

export { htmlNamedJpg, pdf, svg, zip } from './not-pictures.ts';
export { gifWithFrames, pngBomb, pngHeaderOnly } from './png-and-gif-builders.ts';
export { jpegWithScans } from './jpeg-and-webp-builders.ts';

export type HostileFile = { name: string; bytes: Buffer; expectStatus: number };

type Files = Record<string, Buffer>;

export function truncated(file: Buffer): Buffer {
  return file.subarray(0, Math.floor(file.length / 2));
}

/** A GIF that is a page as well: the page is in its comment. */
export function gifHtmlPolyglot(): Buffer {
  const comment = Buffer.concat([
    Buffer.from([0x21, 0xfe, htmlNamedJpg().length]),
    htmlNamedJpg(),
    Buffer.alloc(1),
  ]);
  const gif = gifWithFrames(1);
  return Buffer.concat([gif.subarray(0, 19), comment, gif.subarray(19)]);
}

/** Archivers look for a ZIP at the end of a file, picture programs at the start. */
export function jpegZipPolyglot(jpeg: Buffer): Buffer {
  return Buffer.concat([jpeg, zip()]);
}

export function hostileFiles(): HostileFile[] {
  const withStatus = (expectStatus: number, files: Files) =>
    Object.entries(files).map(([name, bytes]) => ({ name, bytes, expectStatus }));
  return [
    { name: 'empty.jpg', bytes: Buffer.alloc(0), expectStatus: 400 },
    ...withStatus(415, notPictures()),
    ...withStatus(422, { ...imageBombs(), ...cutShort(), ...damaged(), ...undecodable() }),
    ...withStatus(200, harmless()),
  ];
}

function cutShort(): Files {
  const whole: Files = {
    png: pngBomb(64, 64),
    gif: gifWithFrames(3),
    jpg: jpegWithScans(3),
    webp: webpOf(webpPixel()),
    avif: avifNaming(8, 8),
  };
  const files: Files = {};
  for (const [ending, bytes] of Object.entries(whole)) {
    files[`cut-in-half.${ending}`] = truncated(bytes);
    files[`cut-by-one-byte.${ending}`] = bytes.subarray(0, -1);
    files[`cut-after-the-start.${ending}`] = bytes.subarray(0, 30);
  }
  return files;
}

function damaged(): Files {
  const png = pngBomb(8, 8);
  const wrongChecksum = Buffer.from(png);
  wrongChecksum[20] = 9;
  const longChunk = Buffer.from(png);
  longChunk.writeUInt32BE(0xffff_fff0, 33);
  const gif = gifWithFrames(1);
  return {
    'zero-size.png': pngHeaderOnly(0, 10),
    'wrong-checksum.png': wrongChecksum,
    'endless-chunk.png': longChunk,
    'no-data.png': Buffer.concat([pngSignature, pngHeader(8, 8), pngChunk('IEND')]),
    'no-header.png': Buffer.concat([pngSignature, pngChunk('IDAT'), pngChunk('IEND')]),
    'no-palette.png': pngHeaderOnly(8, 8, { depth: 8, colourType: 3 }),
    'depth-3.png': pngHeaderOnly(8, 8, { depth: 3 }),
    'no-frames.gif': gifOf(8, 8, []),
    'unknown-block.gif': Buffer.concat([gif.subarray(0, -1), Buffer.from([0x99, 0x3b])]),
    'no-scan.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
    'thumbnail-only.jpg': Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff]),
      jpegWithScans(1),
    ]),
    'zero-width.jpg': jpegWithScans(1, { width: 0 }),
    'picture-larger-than-canvas.webp': webpOf(webpCanvas(8, 8), webpPixel(9, 9)),
    'frame-outside-canvas.webp': webpOf(
      webpCanvas(8, 8, webpFlags.animated),
      webpAnimation,
      webpFrame(8, 8, webpPixel(8, 8), 2, 2),
    ),
    'no-picture.webp': webpOf(webpCanvas(8, 8)),
    'endless-chunk.webp': webpOf(Buffer.from('VP8L\xff\xff\xff\xff/\0\0\0\0', 'latin1')),
    'unknown-chunk-first.webp': webpOf(riffChunk('ABCD', Buffer.alloc(4)), webpPixel()),
    'no-primary-item.avif': avifOf({ primary: 7 }),
    'no-size.avif': avifOf({ items: [{ type: 'av01', properties: [] }] }),
    'grid-without-tiles.avif': avifGrid(64, 64, 64, 0),
    'box-longer-than-its-parent.avif': avifOf({ inMeta: [Buffer.from('\xff\xff\xff\xffidat', 'latin1')] }),
  };
}

function undecodable(): Files {
  return {
    'height-at-the-end.jpg': jpegWithScans(1, { height: 0 }),
    'hierarchical.jpg': jpegWithScans(1, { frame: 0xc5 }),
    'lossless-arithmetic.jpg': jpegWithScans(1, { frame: 0xcb }),
    '12-bit.jpg': jpegWithScans(1, { precision: 12 }),
    'animated.avif': avifOf({ brand: 'avis' }),
    'hevc-inside.avif': avifNaming(8, 8, 'hvc1'),
    'hevc-tiles.avif': avifGrid(64, 64, 8, 4, 'hvc1'),
    'two-pictures.avif': avifOf({
      items: [
        { type: 'av01', properties: [1] },
        { type: 'av01', properties: [1] },
      ],
    }),
    'huge-tables.avif': avifOf({ inMeta: [box('iref', Buffer.alloc(300_000))] }),
    'deeply-nested.avif': avifOf({
      items: [{ type: 'iden', properties: [1] }],
      inMeta: [nestedBoxes('iprp', 100_000)],
    }),
  };
}

function harmless(): Files {
  const jpeg = jpegWithScans(1);
  return {
    'gif-and-html.gif': gifHtmlPolyglot(),
    'gif-then-html.gif': Buffer.concat([gifWithFrames(1), htmlNamedJpg()]),
    'jpeg-and-zip.jpg': jpegZipPolyglot(jpeg),
    'jpeg-then-php.jpg': Buffer.concat([jpeg, Buffer.from('<?php system("id"); ?>')]),
    'png-then-html.png': Buffer.concat([pngBomb(8, 8), htmlNamedJpg()]),
    'webp-then-html.webp': Buffer.concat([webpOf(webpPixel()), htmlNamedJpg()]),
    '1000-frames.gif': gifWithFrames(1000),
  };
}
