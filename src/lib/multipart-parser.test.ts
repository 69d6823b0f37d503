import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MultipartFault, MultipartParser } from './multipart-parser.ts';

type Part = { name: string; fileName?: string; type?: string; bytes: Buffer };

const boundary = '----x7f3a';

function encode(parts: readonly Part[], { preamble = '', epilogue = '' } = {}): Buffer {
  const encoded = parts.flatMap(({ name, fileName, type, bytes }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(fileName === undefined ? '' : `; filename="${fileName}"`),
    Buffer.from(type === undefined ? '\r\n\r\n' : `\r\nContent-Type: ${type}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([Buffer.from(preamble), ...encoded, Buffer.from(`--${boundary}--${epilogue}`)]);
}

function decode(chunks: readonly Buffer[]): { parts: Part[]; isComplete: boolean } {
  const parser = new MultipartParser(boundary);
  const parts: Part[] = [];
  for (const event of chunks.flatMap((chunk) => parser.push(chunk))) {
    const last = parts.at(-1);
    if (event.type === 'begin') {
      const { name, fileName, type } = event.head;
      parts.push({ name, ...(fileName === undefined ? {} : { fileName }), type, bytes: Buffer.alloc(0) });
    } else if (event.type === 'data' && last) last.bytes = Buffer.concat([last.bytes, event.bytes]);
  }
  return { parts, isComplete: parser.isComplete };
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

/** Bytes that look like the beginnings and ends of boundaries more often than chance would have it. */
const body = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('\r', '\n', '\r\n', '\r\n-', '\r\n--', `\r\n--${boundary.slice(0, -1)}`, '--', boundary)
        .map((text) => Buffer.from(text)),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.concat(pieces))
  .filter(
    (bytes) =>
      !bytes.includes(`\r\n--${boundary}`) &&
      !bytes.subarray(0, 2 + boundary.length).equals(Buffer.from(`--${boundary}`)),
  );

describe('the multipart parser', () => {
  test('gives back what was put in, however the bytes are split', () => {
    const part = fc.record(
      { name: fc.constantFrom('file', 'tags', 'naïve'), bytes: body },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 4 }),
        fc.array(fc.nat(5000), { maxLength: 12 }),
        (parts, cuts) => {
          const decoded = decode(
            split(encode(parts, { preamble: 'ignored\r\n', epilogue: '\r\nignored' }), cuts),
          );
          assert.ok(decoded.isComplete);
          assert.deepEqual(
            decoded.parts.map(({ name, bytes }) => ({ name, bytes })),
            parts,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('byte by byte too', () => {
    const parts = [
      {
        name: 'file',
        fileName: 'a.jpg',
        type: 'image/jpeg',
        bytes: Buffer.from('\r\n--not\r\nthe end\r\n--'),
      },
    ];
    const bytes = encode(parts);
    assert.deepEqual(decode([...bytes].map((byte) => Buffer.from([byte]))).parts, parts);
  });

  test('reads names as browsers and command lines write them', () => {
    const nameOf = (parameters: string): string | undefined => {
      const head = `--${boundary}\r\ncontent-disposition:form-data; name=file; ${parameters}\r\n\r\n`;
      return decode([Buffer.from(head)]).parts[0]?.fileName;
    };
    assert.equal(nameOf('filename="a b.jpg"'), 'a b.jpg');
    assert.equal(nameOf('filename=plain.jpg'), 'plain.jpg');
    assert.equal(nameOf('filename="say \\"hi\\".jpg"'), 'say "hi".jpg');
    assert.equal(nameOf('filename="C:\\temp\\a.jpg"'), 'C:\\temp\\a.jpg');
    assert.equal(nameOf('filename="ä.jpg"'), 'ä.jpg');
    assert.equal(nameOf(`filename="x.jpg"; filename*=UTF-8''na%C3%AFve.jpg`), 'naïve.jpg');
    assert.equal(nameOf(`filename="x.jpg"; filename*=UTF-8''%zz`), 'x.jpg');
    assert.equal(nameOf('other=1'), undefined);
  });

  test('what is cut short is not complete, and what is no multipart is a fault', () => {
    const bytes = encode([{ name: 'file', bytes: Buffer.from('abc') }]);
    for (let length = 0; length < bytes.length; length++)
      assert.equal(decode([bytes.subarray(0, length)]).isComplete, false);
    const faulty = [
      `--${boundary}x\r\n\r\n`,
      `--${boundary}\r\n\r\nx`,
      `--${boundary}\r\nContent-Type: a/b\r\n\r\n`,
      `--${boundary}\r\n${'a'.repeat(20_000)}`,
    ];
    for (const text of faulty)
      assert.throws(() => decode([Buffer.from(text)]), MultipartFault, text.slice(0, 40));
  });

  test('a head is too long whether it comes at once or in pieces', () => {
    const body = encode([{ name: 'x'.repeat(20_000), bytes: Buffer.from('x') }]);
    for (const chunks of [[body], split(body, [5000, 10_000, 17_000])])
      assert.throws(() => decode(chunks), MultipartFault);
  });

  test('nothing makes it throw anything but its own fault', () => {
    const piece = fc.constantFrom(
      '\r\n',
      `--${boundary}`,
      '--',
      'Content-Disposition: form-data',
      '; name="a"',
      ':',
      '"',
      '\\',
      '\0',
      'ä',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(500), { maxLength: 6 }),
        (pieces, cuts) => {
          try {
            decode(split(Buffer.from(pieces.join('')), cuts));
          } catch (error) {
            assert.ok(error instanceof MultipartFault);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});
