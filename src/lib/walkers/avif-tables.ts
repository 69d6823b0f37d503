// The tables in the `meta` box of an AVIF: which items there are, what they refer to, where their data lies.
import { corrupt, unsupported } from './image-fault.ts';
import type { AvifProperty } from './avif-properties.ts';
import type { TableReader } from './table-reader.ts';

export type AvifItem = { type: string; hidden: boolean };
export type AvifReference = { type: string; from: number; to: number[] };

export class AvifTables {
  primary: number | undefined;
  readonly items = new Map<number, AvifItem>();
  readonly references: AvifReference[] = [];
  /** Numbered from one by the associations: the first is at index 0. */
  readonly properties: AvifProperty[] = [];
  readonly associations = new Map<number, number[]>();
  readonly itemsWithData = new Set<number>();
  /** Where the last byte that any item needs ends: in the file, and within the `idat` box. */
  dataEnd = 0;
  innerDataEnd = 0;
  innerDataBytes = 0;

  propertiesOf(item: number): AvifProperty[] {
    const indexes = this.associations.get(item) ?? [];
    return indexes.map((index) => this.properties[index - 1] ?? { kind: 'other' });
  }
}

const MAX_EXTENTS = 32; // libheif's own bound

const IN_FILE = 0;
const IN_IDAT = 1;

export function readPrimary(table: TableReader, tables: AvifTables): void {
  const { version } = table.versionAndFlags();
  tables.primary = table.uint(version === 0 ? 2 : 4);
}

export function readItems(table: TableReader, tables: AvifTables): void {
  const { version } = table.versionAndFlags();
  const count = table.uint(version === 0 ? 2 : 4);
  for (let index = 0; index < count; index += 1) {
    const { type, content } = table.innerBox();
    if (type !== 'infe') continue;
    const entry = content.versionAndFlags();
    if (entry.version < 2) throw unsupported('The picture lists its items in a way that cannot be read');
    const id = content.uint(entry.version === 2 ? 2 : 4);
    content.uint(2);
    tables.items.set(id, { type: content.text(4), hidden: (entry.flags & 1) === 1 });
  }
}

export function readReferences(table: TableReader, tables: AvifTables): void {
  const idBytes = table.versionAndFlags().version === 0 ? 2 : 4;
  while (table.left >= 8) {
    const { type, content } = table.innerBox();
    const from = content.uint(idBytes);
    const count = content.uint(2);
    const to: number[] = [];
    while (to.length < count) to.push(content.uint(idBytes));
    tables.references.push({ type, from, to });
  }
}

export function readAssociations(table: TableReader, tables: AvifTables): void {
  const { version, flags } = table.versionAndFlags();
  const wideIndexes = (flags & 1) === 1;
  const count = table.uint(4);
  for (let entry = 0; entry < count; entry += 1) {
    const item = table.uint(version === 0 ? 2 : 4);
    const indexes: number[] = [];
    for (let left = table.uint(1); left > 0; left -= 1) {
      indexes.push(wideIndexes ? table.uint(2) & 0x7fff : table.uint(1) & 0x7f);
    }
    tables.associations.set(item, indexes);
  }
}

export function readLocations(table: TableReader, tables: AvifTables): void {
  const { version } = table.versionAndFlags();
  const bytesOf = readFieldWidths(table, version);
  const idBytes = version < 2 ? 2 : 4;
  const count = table.uint(idBytes);
  for (let item = 0; item < count; item += 1) {
    const id = table.uint(idBytes);
    const place = version === 0 ? IN_FILE : table.uint(2) & 15;
    table.uint(2);
    const base = table.uint(bytesOf.base);
    const extents = table.uint(2);
    if (extents > MAX_EXTENTS) throw unsupported('The data of the picture lies in too many pieces');
    if (extents > 0) tables.itemsWithData.add(id);
    for (let extent = 0; extent < extents; extent += 1) {
      table.uint(bytesOf.index);
      noteExtent(tables, place, base + table.uint(bytesOf.offset) + table.uint(bytesOf.length));
    }
  }
}

function readFieldWidths(table: TableReader, version: number) {
  const nibbles = table.uint(2);
  const width = (shift: number) => {
    const bytes = (nibbles >> shift) & 15;
    if (bytes !== 0 && bytes !== 4 && bytes !== 8)
      throw corrupt('its item locations have an impossible size');
    return bytes;
  };
  return { offset: width(12), length: width(8), base: width(4), index: version === 0 ? 0 : width(0) };
}

function noteExtent(tables: AvifTables, place: number, end: number): void {
  if (place === IN_FILE) tables.dataEnd = Math.max(tables.dataEnd, end);
  if (place === IN_IDAT) tables.innerDataEnd = Math.max(tables.innerDataEnd, end);
}
