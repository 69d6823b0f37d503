// Walks the `meta` box of an AVIF and gathers its tables. Large boxes that are not needed, such as colour profiles, are
// skipped; those that are needed are kept one at a time, within a budget.
import { corrupt, unsupported } from './image-fault.ts';
import { checkSize, type ImageLimits } from './image-limits.ts';
import { walkInnerBoxes, type Box } from './avif-box.ts';
import { readableProperties, readProperty } from './avif-properties.ts';
import {
  AvifTables,
  readAssociations,
  readItems,
  readLocations,
  readPrimary,
  readReferences,
} from './avif-tables.ts';
import { TableReader } from './table-reader.ts';
import type { ByteReader, Walk } from './byte-reader.ts';

// A grid of 256 tiles needs about 16 KB of tables.
const MAX_TABLE_BYTES = 128 * 1024;
const MAX_PROPERTIES = 32_767; // what an association can number

const tableReaders = new Map<string, (table: TableReader, tables: AvifTables) => void>([
  ['pitm', readPrimary],
  ['iinf', readItems],
  ['iref', readReferences],
  ['iloc', readLocations],
]);

export function* walkAvifMeta(reader: ByteReader, end: number, limits: ImageLimits): Walk<AvifTables> {
  const tables = new AvifTables();
  let budget = MAX_TABLE_BYTES;

  function* takeTable(box: Box): Walk<TableReader> {
    const bytes = box.end - reader.position;
    budget -= bytes;
    if (budget < 0)
      throw unsupported(`The tables of the picture are larger than ${MAX_TABLE_BYTES / 1024} KB`);
    return new TableReader(yield* reader.take(bytes));
  }

  function* visitProperty(box: Box): Walk<void> {
    if (tables.properties.length === MAX_PROPERTIES)
      throw corrupt('it has more properties than can be numbered');
    if (!readableProperties.has(box.type)) {
      tables.properties.push({ kind: 'other' });
      return;
    }
    const property = readProperty(box.type, yield* takeTable(box));
    if (property.kind === 'size') checkSize(property.size, limits);
    tables.properties.push(property);
  }

  function* visitPropertyGroup(box: Box): Walk<void> {
    if (box.type === 'ipma') readAssociations(yield* takeTable(box), tables);
    else if (box.type === 'ipco') yield* walkInnerBoxes(reader, box.end, visitProperty);
  }

  function* visit(box: Box): Walk<void> {
    const readTable = tableReaders.get(box.type);
    if (readTable !== undefined) readTable(yield* takeTable(box), tables);
    else if (box.type === 'iprp') yield* walkInnerBoxes(reader, box.end, visitPropertyGroup);
    else if (box.type === 'idat') tables.innerDataBytes = box.end - reader.position;
  }

  if (end - reader.position < 4) throw corrupt('its description is too short');
  yield* reader.skip(4);
  yield* walkInnerBoxes(reader, end, visit);
  return tables;
}
