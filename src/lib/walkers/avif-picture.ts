// Decides from the tables of an AVIF what its one picture is, and that it is one sharp can decode.
import { corrupt, type ImageFault, unsupported } from './image-fault.ts';
import { factsOf, type ImageFacts, type Size } from './image-facts.ts';
import { checkFrames, checkSize, type ImageLimits } from './image-limits.ts';
import { sizeAfter } from './avif-properties.ts';
import type { AvifTables } from './avif-tables.ts';

const MAX_TILES = 1024;
const pictureTypes = new Set(['av01', 'grid', 'iden', 'iovl']);

export function describeAvif(tables: AvifTables, limits: ImageLimits): ImageFacts {
  const { primary } = tables;
  const item = primary === undefined ? undefined : tables.items.get(primary);
  if (primary === undefined || item === undefined)
    throw corrupt('it does not say which of its items is the picture');
  if (item.type === 'grid') checkTiles(tables, primary, limits);
  else if (item.type !== 'av01') throw notAv1();
  if (hasOtherPictures(tables, primary))
    throw unsupported('The file holds several pictures; send them one by one');
  if (!tables.itemsWithData.has(primary)) throw corrupt('it does not say where its data is');
  if (tables.innerDataEnd > tables.innerDataBytes) throw corrupt('the data of an item is missing');
  const stored = storedSize(tables, primary);
  checkSize(stored, limits);
  return factsOf('image/avif', {
    stored: sizeAfter(tables.propertiesOf(primary), stored),
    alpha: hasAlpha(tables, primary),
  });
}

/** The tiles are what is decoded, however small the grid says it is. */
function checkTiles(tables: AvifTables, grid: number, limits: ImageLimits): void {
  const tiles = tables.references
    .filter(({ type, from }) => type === 'dimg' && from === grid)
    .flatMap(({ to }) => to);
  if (tiles.length === 0) throw corrupt('it is a grid without tiles');
  if (tiles.length > MAX_TILES) throw unsupported(`The picture has more than ${MAX_TILES} tiles`);
  let pixels = 0;
  for (const tile of tiles) {
    if (tables.items.get(tile)?.type !== 'av01') throw notAv1();
    const size = storedSize(tables, tile);
    checkSize(size, limits);
    pixels += size.width * size.height;
  }
  checkFrames({ width: pixels, height: 1 }, 1, limits);
}

function notAv1(): ImageFault {
  return unsupported('The picture is not coded as AV1; send it as JPEG, PNG, WebP or AVIF');
}

function storedSize(tables: AvifTables, item: number): Size {
  const property = tables.propertiesOf(item).find(({ kind }) => kind === 'size');
  if (property?.kind !== 'size') throw corrupt('it does not say how large it is');
  return property.size;
}

function hasOtherPictures(tables: AvifTables, primary: number): boolean {
  const parts = new Set<number>();
  for (const { type, from, to } of tables.references) {
    if (type === 'auxl' || type === 'thmb') parts.add(from);
    if (type === 'dimg') for (const part of to) parts.add(part);
  }
  for (const [id, { type, hidden }] of tables.items) {
    if (id !== primary && !hidden && pictureTypes.has(type) && !parts.has(id)) return true;
  }
  return false;
}

function hasAlpha(tables: AvifTables, primary: number): boolean {
  return tables.references.some(
    ({ type, from, to }) =>
      type === 'auxl' &&
      to.includes(primary) &&
      pictureTypes.has(tables.items.get(from)?.type ?? '') &&
      tables.propertiesOf(from).some(({ kind }) => kind === 'alpha'),
  );
}
