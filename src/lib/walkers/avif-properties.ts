// The properties of AVIF items that matter for the size people see, and how they change it.
import { corrupt } from './image-fault.ts';
import type { Size } from './image-facts.ts';
import type { TableReader } from './table-reader.ts';

type Fraction = { over: number; under: number };

export type AvifProperty =
  | { kind: 'size'; size: Size }
  | { kind: 'quarter turns'; turns: number }
  | { kind: 'crop'; width: Fraction; height: Fraction; x: Fraction; y: Fraction }
  | { kind: 'alpha' }
  | { kind: 'other' };

export const readableProperties = new Set(['ispe', 'irot', 'clap', 'auxC']);

const alphaNames = new Set(['urn:mpeg:mpegB:cicp:systems:auxiliary:alpha', 'urn:mpeg:hevc:2015:auxid:1']);

export function readProperty(type: string, table: TableReader): AvifProperty {
  if (type === 'irot') return { kind: 'quarter turns', turns: table.uint(1) & 3 };
  if (type === 'clap') {
    const [width, height, x, y] = [
      readFraction(table),
      readFraction(table),
      readFraction(table),
      readFraction(table),
    ];
    return { kind: 'crop', width, height, x, y };
  }
  table.versionAndFlags();
  if (type === 'ispe') return { kind: 'size', size: { width: table.uint(4), height: table.uint(4) } };
  const name = table.text(table.left).split('\0', 1)[0]!;
  return { kind: alphaNames.has(name) ? 'alpha' : 'other' };
}

/** Mirroring leaves the size alone; rotation and crop are applied in the order they are listed, as libheif does. */
export function sizeAfter(properties: AvifProperty[], stored: Size): Size {
  let size = stored;
  for (const property of properties) {
    if (property.kind === 'quarter turns' && property.turns % 2 === 1) {
      size = { width: size.height, height: size.width };
    }
    if (property.kind === 'crop') {
      size = {
        width: cropped(size.width, property.width, property.x),
        height: cropped(size.height, property.height, property.y),
      };
    }
  }
  return size;
}

function readFraction(table: TableReader): Fraction {
  return { over: table.int32(), under: table.int32() };
}

/** The offset is that of the middle of the crop from the middle of the picture. */
function cropped(side: number, length: Fraction, offset: Fraction): number {
  const kept = Math.round(length.over / length.under);
  const room = (side - kept) / 2;
  const fits = kept >= 1 && Math.abs(offset.over / offset.under) <= room;
  if (!fits) throw corrupt('the part to be shown lies outside the picture');
  return kept;
}
