// Walks the top-level boxes of an AVIF. Only the still picture counts, since libvips decodes no other: one frame.
import { corrupt, truncated, unsupported } from './image-fault.ts';
import { tryReadBox } from './avif-box.ts';
import { walkAvifMeta } from './avif-meta.ts';
import { describeAvif } from './avif-picture.ts';
import type { ByteReader, Walk } from './byte-reader.ts';
import type { ImageFacts } from './image-facts.ts';
import type { ImageLimits } from './image-limits.ts';

// libvips looks at the major brand alone. It opens neither `avis`, which animations have, nor the rarer ones.
const decodableBrands = new Set(['avif', 'mif1', 'msf1']);
const topLevelBoxes = new Set([
  'meta',
  'mdat',
  'moov',
  'moof',
  'free',
  'skip',
  'uuid',
  'sidx',
  'styp',
  'mfra',
]);
const MAX_META_BYTES = 16 * 1024 * 1024;

type Picture = { facts: ImageFacts; dataEnd: number };

export function* walkAvif(reader: ByteReader, limits: ImageLimits): Walk<ImageFacts> {
  yield* walkFileType(reader);
  let picture: Picture | undefined;
  for (;;) {
    const box = yield* tryReadBox(reader);
    if (box === undefined) break;
    const complete = picture !== undefined && picture.dataEnd <= reader.position;
    // Bytes behind a complete picture are let be. They are only told from one cut short by not being a known box.
    if (complete && !topLevelBoxes.has(box.type)) break;
    if (box.type === 'meta') {
      if (picture !== undefined) throw corrupt('it describes itself twice');
      picture = yield* walkMeta(reader, box.end, limits);
    } else if (box.end === Infinity) {
      while (!(yield* reader.atEnd())) reader.skipAvailable(Infinity);
    } else {
      yield* reader.skipTo(box.end);
    }
  }
  if (picture === undefined || picture.dataEnd > reader.position) throw truncated();
  return picture.facts;
}

function* walkFileType(reader: ByteReader): Walk<void> {
  const box = yield* tryReadBox(reader);
  if (box === undefined) throw truncated();
  if (box.type !== 'ftyp' || box.end - reader.position < 4) throw corrupt('it does not start like an AVIF');
  const brand = (yield* reader.take(4)).toString('latin1');
  if (brand === 'avis')
    throw unsupported('Animated AVIF cannot be decoded; send a still one, or an animated WebP or GIF');
  if (!decodableBrands.has(brand)) throw unsupported('This kind of AVIF cannot be decoded');
  yield* reader.skipTo(box.end);
}

function* walkMeta(reader: ByteReader, end: number, limits: ImageLimits): Walk<Picture> {
  if (end - reader.position > MAX_META_BYTES)
    throw unsupported('The description of the picture is longer than 16 MB');
  const tables = yield* walkAvifMeta(reader, end, limits);
  return { facts: describeAvif(tables, limits), dataEnd: tables.dataEnd };
}
