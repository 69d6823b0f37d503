// Every kind of file the service takes or names, told by its bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SNIFF_BYTES, sniffType } from './sniff-type.ts';
import { noise } from '../../test/support/walker-properties.ts';
import { notPictures } from '../../test/support/not-pictures.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const isoMedia = (brand: string, ...compatible: string[]) => {
  const content = [brand, '\0\0\0\0', ...compatible].join('');
  return latin1(`\0\0\0${String.fromCharCode(content.length + 8)}ftyp${content}`);
};
const packets = (first: number, packet: number) => {
  const stream = Buffer.alloc(first + 4 * packet);
  for (let at = first; at < stream.length; at += packet) stream[at] = 0x47;
  return stream;
};
const matroska = (docType: string) =>
  latin1(
    `\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${String.fromCharCode(0x80 + docType.length)}${docType}`,
  );

test('pictures are told by their bytes', async () => {
  const picture = noise(9, 9);
  for (const format of ['jpeg', 'png', 'gif', 'webp', 'avif'] as const) {
    const sniffed = sniffType(await picture.clone().toFormat(format).toBuffer());
    assert.equal(sniffed.kind, 'image');
    assert.equal(sniffed.type, `image/${format}`);
  }
  assert.equal(sniffType(isoMedia('avis', 'avif')).type, 'image/avif');
  assert.equal(sniffType(isoMedia('mif1', 'miaf', 'avif')).type, 'image/avif');
  assert.equal(sniffType(latin1('GIF87a')).type, 'image/gif');
});

test('films are told by their bytes', () => {
  const films: [string, Buffer][] = [
    ['video/mp4', isoMedia('isom', 'iso2', 'avc1', 'mp41')],
    ['video/mp4', isoMedia('mp42')],
    ['video/quicktime', isoMedia('qt  ')],
    ['video/quicktime', latin1('\0\0\0\x08wide\0\0\0\0mdat')],
    ['video/quicktime', latin1('\0\0\x10\0moov')],
    ['video/x-m4v', isoMedia('M4V ', 'mp42')],
    ['video/3gpp', isoMedia('3gp5', 'isom')],
    ['video/3gpp2', isoMedia('3g2a')],
    ['video/x-msvideo', latin1('RIFF\0\0\0\0AVI LIST')],
    ['video/x-matroska', matroska('matroska')],
    ['video/webm', matroska('webm')],
    ['video/mp2t', packets(0, 188)],
    ['video/mp2t', packets(4, 192)],
    ['video/mp2t', packets(0, 188).subarray(0, 200)],
    ['video/mpeg', latin1('\0\0\x01\xba\x44\0')],
    ['video/x-flv', latin1('FLV\x01\x05\0\0\0\x09')],
    ['video/x-ms-wmv', Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')],
    ['video/ogg', latin1('OggS\0\x02')],
  ];
  for (const [type, bytes] of films) {
    assert.deepEqual({ ...sniffType(bytes), label: '' }, { kind: 'video', type, label: '' });
  }
});

test('what is refused has a name a person understands', () => {
  const named: [string, Buffer][] = [
    ['an HEIC picture', isoMedia('heic', 'mif1')],
    ['an HEIC picture', isoMedia('mif1', 'heic')],
    ['an HEIC picture', isoMedia('heix', 'avif')],
    ['a raw camera picture', isoMedia('crx ')],
    ['a PDF document', latin1('%PDF-1.4')],
    ['an SVG drawing', latin1('<?xml version="1.0"?>\n<svg>')],
    ['an SVG drawing', latin1('\n <SVG width="1">')],
    ['an HTML page', latin1('<!-- --><html>')],
    ['an XML document', latin1('<?xml version="1.0"?><note/>')],
    ['a playlist', latin1('#EXTM3U\n')],
    ['a BMP picture', latin1('BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0')],
    ['text', latin1('BMW')],
    ['text', latin1('Good morning')],
    ['text', latin1('G'.repeat(100))],
    ['a file of an unknown kind', Buffer.from([1, 2, 3])],
    ['a file of an unknown kind', matroska('other')],
    ['a file of an unknown kind', Buffer.alloc(0)],
  ];
  for (const [label, bytes] of named) {
    assert.equal(sniffType(bytes).label, label);
    assert.equal(sniffType(bytes).kind, 'refused');
  }
  for (const [name, bytes] of Object.entries(notPictures()))
    assert.equal(sniffType(bytes).kind, 'refused', name);
});

test('any bytes are told without an error, by the first of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
      const file = Buffer.from(bytes);
      assert.deepEqual(sniffType(file), sniffType(file.subarray(0, SNIFF_BYTES)));
    }),
    { numRuns: 2000 },
  );
});
