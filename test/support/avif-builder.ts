// Builds AVIF containers box by box. Their picture data is not AV1: what is tested is the container.

export type AvifItem = { type: string; hidden?: boolean; properties?: number[] };
export type AvifReference = { type: string; from: number; to: number[] };
export type AvifOptions = {
  brand?: string;
  primary?: number;
  /** Numbered from 1, as are the properties. */
  items?: AvifItem[];
  properties?: Buffer[];
  references?: AvifReference[];
  inMeta?: Buffer[];
  /** Written in place of the locations of the items. */
  locations?: Buffer;
};

const data = Buffer.from('not really AV1');

export function box(type: string, ...content: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...content]);
}

/** Boxes within boxes, each holding nothing but the next. */
export function nestedBoxes(type: string, depth: number): Buffer {
  const boxes = Buffer.alloc(depth * 8);
  for (let at = 0; at < boxes.length; at += 8) {
    boxes.writeUInt32BE(boxes.length - at, at);
    boxes.write(type, at + 4, 'latin1');
  }
  return boxes;
}

export function table(type: string, flags: number, ...content: Buffer[]): Buffer {
  return box(type, u32(flags), ...content);
}

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeInt32BE(value | 0, index * 4));
  return bytes;
}

export function u16(...values: number[]): Buffer {
  return Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
}

export const avifSize = (width: number, height: number) => table('ispe', 0, u32(width, height));
export const avifRotation = (quarterTurns: number) => box('irot', Buffer.from([quarterTurns]));
export const avifCrop = (width: number, height: number, x = 0, y = 0) =>
  box('clap', u32(width, 1, height, 1, x, 1, y, 1));
export const avifAlpha = table('auxC', 0, Buffer.from('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0'));

export function avifOf(options: AvifOptions = {}): Buffer {
  const fileType = box('ftyp', Buffer.from(options.brand ?? 'avif'), u32(0), Buffer.from('avifmif1miaf'));
  const dataAt = fileType.length + avifMeta(options, 0).length + 8;
  return Buffer.concat([fileType, avifMeta(options, dataAt), box('mdat', data)]);
}

/** The simplest: one picture that says how large it is. */
export function avifNaming(width: number, height: number, type = 'av01'): Buffer {
  return avifOf({ items: [{ type, properties: [1] }], properties: [avifSize(width, height)] });
}

/** A grid of equal tiles, all of them one and the same item. */
export function avifGrid(
  width: number,
  height: number,
  tileSide: number,
  tiles: number,
  tileType = 'av01',
): Buffer {
  return avifOf({
    items: [
      { type: 'grid', properties: [1] },
      { type: tileType, hidden: true, properties: [2] },
    ],
    properties: [avifSize(width, height), avifSize(tileSide, tileSide)],
    references: [{ type: 'dimg', from: 1, to: Array<number>(tiles).fill(2) }],
  });
}

function avifMeta(options: AvifOptions, dataAt: number): Buffer {
  const { primary = 1, properties = [avifSize(8, 8)], references = [], inMeta = [] } = options;
  const items = options.items ?? [{ type: 'av01', properties: [1] }];
  const entries = items.map(({ type, hidden }, index) =>
    table(
      'infe',
      0x02000000 + (hidden === true ? 1 : 0),
      u16(index + 1, 0),
      Buffer.from(`${type}\0`, 'latin1'),
    ),
  );
  const locations = items.map((_, index) => Buffer.concat([u16(index + 1, 0, 1), u32(dataAt, data.length)]));
  const associations = items.map((item, index) => {
    const used = item.properties ?? [];
    return Buffer.concat([u16(index + 1), Buffer.from([used.length, ...used])]);
  });
  const links = references.map(({ type, from, to }) => box(type, u16(from, to.length, ...to)));
  return table(
    'meta',
    0,
    table('hdlr', 0, u32(0), Buffer.from('pict'), Buffer.alloc(13)),
    table('pitm', 0, u16(primary)),
    table('iinf', 0, u16(items.length), ...entries),
    options.locations ?? table('iloc', 0, u16(0x4400, items.length), ...locations),
    box('iprp', box('ipco', ...properties), table('ipma', 0, u32(items.length), ...associations)),
    ...(links.length > 0 ? [table('iref', 0, ...links)] : []),
    ...inMeta,
  );
}
