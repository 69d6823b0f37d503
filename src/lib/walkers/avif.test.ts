// AVIFs by sharp and by hand: facts as sharp finds them, anything but one still AV1 picture refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createImageWalker, walkWholeImage } from '../walk-image.ts';
import {
  assertAgreesWithSharp,
  assertFault,
  noise,
  testWalker,
  type Pictures,
} from '../../../test/support/walker-properties.ts';
import {
  avifAlpha,
  avifCrop,
  avifGrid,
  avifNaming,
  avifOf,
  avifRotation,
  avifSize,
  box,
  nestedBoxes,
  table,
  u16,
  u32,
} from '../../../test/support/avif-builder.ts';

const AVIF = 'image/avif';
const withAlpha = await noise(40, 20, 4).avif({ effort: 0 }).toBuffer();

await testWalker(AVIF, async () => {
  const pictures: Pictures = {
    plain: await noise(40, 20).avif({ effort: 0 }).toBuffer(),
    withAlpha,
    'mif1 brand': changed(withAlpha, 'avif', 'mif1'),
    'auxiliary picture that is not alpha': changed(withAlpha, 'urn:mpeg', 'urn:xpeg'),
    thumbnail: changed(withAlpha, 'auxl', 'thmb'),
    'rotation taken out': changed(
      await noise(40, 20).withMetadata({ orientation: 6 }).avif().toBuffer(),
      'irot',
      'free',
    ),
  };
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const picture = noise(40, 20).withMetadata({ orientation }).avif({ effort: 0 });
    pictures[`orientation ${orientation}`] = await picture.toBuffer();
  }
  return pictures;
});

/** Replaces the first occurrence by something as long. */
function changed(avif: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(avif);
  copy.write(to, copy.indexOf(from), 'latin1');
  return copy;
}

function sizeOf(...properties: Buffer[]): string {
  const all = [avifSize(40, 20), ...properties];
  const avif = avifOf({
    properties: all,
    items: [{ type: 'av01', properties: all.map((_, index) => index + 1) }],
  });
  const { width, height, orientation } = walkWholeImage(AVIF, avif);
  assert.equal(orientation, 1);
  return `${width}×${height}`;
}

test('rotation and crop apply in the order they are listed', () => {
  assert.equal(sizeOf(avifRotation(1)), '20×40');
  assert.equal(sizeOf(avifRotation(2)), '40×20');
  assert.equal(sizeOf(avifRotation(1), avifRotation(1)), '40×20');
  assert.equal(sizeOf(avifCrop(20, 10)), '20×10');
  assert.equal(sizeOf(avifCrop(20, 10), avifRotation(1)), '10×20');
  assert.equal(sizeOf(avifRotation(1), avifCrop(12, 10)), '12×10');
  assert.throws(() => sizeOf(avifCrop(60, 10)), { fault: 'corrupt' });
  assert.throws(() => sizeOf(avifCrop(20, 10, 15)), { fault: 'corrupt' });
});

test('a grid has the size it names and is limited by its tiles', () => {
  assert.equal(walkWholeImage(AVIF, avifGrid(100, 60, 64, 2)).width, 100);
  assertFault(AVIF, avifGrid(100, 60, 9000, 256), 'too_many_pixels');
  assertFault(AVIF, avifGrid(100, 60, 1, 5000), 'unsupported');
  assertFault(AVIF, avifGrid(100, 60, 64, 0), 'corrupt');
  assertFault(AVIF, avifGrid(100, 60, 64, 2, 'hvc1'), 'unsupported');
});

test('a bomb is refused before its data comes', () => {
  const bomb = avifNaming(40_000, 40_000);
  const walker = createImageWalker(AVIF);
  assert.throws(() => walker.push(bomb.subarray(0, bomb.indexOf('mdat'))), { fault: 'too_many_pixels' });
  assertFault(
    AVIF,
    avifOf({ properties: [avifSize(8, 8), avifSize(50_000, 50_000), avifAlpha] }),
    'too_many_pixels',
  );
});

test('only one still picture coded as AV1 is taken', () => {
  assertFault(AVIF, avifNaming(8, 8, 'hvc1'), 'unsupported');
  assertFault(AVIF, avifOf({ brand: 'avis' }), 'unsupported');
  assertFault(AVIF, avifOf({ brand: 'miaf' }), 'unsupported');
  assertFault(AVIF, changed(withAlpha, 'auxl', 'abcd'), 'unsupported');
});

test('data may come before its description and last to the end of the file', async () => {
  const lasting = Buffer.from(withAlpha);
  lasting.writeUInt32BE(0, lasting.indexOf('mdat') - 4);
  await assertAgreesWithSharp(AVIF, lasting);
  assertFault(AVIF, lasting.subarray(0, -1), 'truncated');
  const avif = avifNaming(8, 8);
  const meta = avif.subarray(avif.indexOf('meta') - 4, avif.indexOf('mdat') - 4);
  const fileType = avif.subarray(0, avif.indexOf('meta') - 4);
  const data = avif.subarray(avif.indexOf('mdat') - 4);
  assert.equal(walkWholeImage(AVIF, Buffer.concat([fileType, data, meta])).width, 8);
});

test('tables beyond their bounds are refused', () => {
  assertFault(AVIF, avifOf({ inMeta: [box('iref', Buffer.alloc(300_000))] }), 'unsupported');
  assertFault(AVIF, avifOf({ properties: Array<Buffer>(33_000).fill(box('zzzz')) }), 'corrupt');
  assertFault(AVIF, avifOf({ primary: 7 }), 'corrupt');
  assertFault(AVIF, avifOf({ items: [{ type: 'av01', properties: [] }] }), 'corrupt');
  assert.equal(walkWholeImage(AVIF, avifOf({ inMeta: [nestedBoxes('iprp', 100_000)] })).width, 8);
});

test('item locations are read in every version, and distrusted', () => {
  const widths = 0x4440;
  const version1 = table('iloc', 0x01000000, u16(widths, 1, 1, 0, 0), u32(0), u16(1), u32(100, 20));
  const version2 = table('iloc', 0x02000000, u16(widths), u32(1, 1), u16(0, 0), u32(0), u16(1), u32(100, 20));
  for (const locations of [version1, version2])
    assert.equal(walkWholeImage(AVIF, avifOf({ locations })).width, 8);
  const inIdat = table('iloc', 0x01000000, u16(widths, 1, 1, 1, 0), u32(0), u16(1), u32(0, 20));
  const idat = (bytes: number) => avifOf({ locations: inIdat, inMeta: [box('idat', Buffer.alloc(bytes))] });
  assert.equal(walkWholeImage(AVIF, idat(20)).width, 8);
  assertFault(AVIF, idat(19), 'corrupt');
  const beyondTheEnd = table('iloc', 0, u16(0x4400, 1, 1, 0, 1), u32(0x7fff_ffff, 20));
  assertFault(AVIF, avifOf({ locations: beyondTheEnd }), 'truncated');
  for (const width of [1, 7, 15]) {
    const strange = table('iloc', 0x01000000, u16(width, 1, 1, 0, 0, 1), Buffer.alloc(64));
    assertFault(AVIF, avifOf({ locations: strange }), 'corrupt');
  }
  const manyPieces = table('iloc', 0, u16(0, 1, 1, 0, 65_535));
  assertFault(AVIF, avifOf({ locations: manyPieces }), 'unsupported');
  assertFault(AVIF, avifOf({ locations: box('free') }), 'corrupt');
});
