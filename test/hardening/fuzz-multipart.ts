// Multipart bodies, whole and in pieces: the parser throws nothing but its own fault, tells parts in order, and tells the
// same wherever the network cuts.
import assert from 'node:assert/strict';
import { type MultipartEvent, MultipartFault, MultipartParser } from '../../src/lib/multipart-parser.ts';
import type { Random } from '../support/random.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { boundary, multipart, type Part } from '../support/multipart.ts';
import { mutateBytes } from './mutate.ts';

/** Up to here the length of a part's head is no fault, however it arrives. */
const maxBytes = 16_000;
const line = `\r\n--${boundary}`;
const ends = ['\r\n', '\r', '\n', '--', line.slice(2), line, `${line}--`, line.slice(0, -1), '\0', '%ff'];
const heads = [';', '"', '\\', '=', '; name="', '; filename="', "; filename*=UTF-8''", 'form-data'];
const types = ['Content-Type: application/json\r\n', 'Content-Type: application/octet-stream\r\n'];
const file = 'Content-Disposition: form-data; name="file"; filename="x"\r\n\r\n';
const short = hostileStrings().filter((text) => text.length < 1000);
const pieces = [...ends, ...heads, ...types, file, ...short];
const extended = `Content-Disposition: form-data; name=file; filename*=UTF-8''n%C3%A4h%20e.jpg`;

export type MultipartCase = { body: Buffer; cuts: number[] };
type Outcome = { parts: { head: string; bytes: string; ended: boolean }[]; isComplete: boolean } | 'fault';

export function makeMultipart(random: Random): MultipartCase {
  const parts = Array.from({ length: random.between(0, 4) }, (): Part => {
    const name = random.pick(['file', 'tags', 'folder', 'object', random.pick(pieces)]);
    const part = { name, value: random.pick(['', 'abc', '\r\n--', random.pick(pieces)]) };
    if (random.chance(0.2)) return { ...part, rawHead: extended };
    return random.chance(0.5) ? part : { ...part, fileName: random.pick(['a.jpg', random.pick(pieces)]) };
  });
  const whole = multipart(parts, { end: random.chance(0.9) });
  const body = (random.chance(0.1) ? whole : mutateBytes(random, whole, pieces)).subarray(0, maxBytes);
  const cuts = Array.from({ length: random.pick([1, 2, 8, 200]) }, () => random.between(0, body.length));
  return { body, cuts: cuts.sort((left, right) => left - right) };
}

export function checkMultipart({ body, cuts }: MultipartCase): void {
  const whole = parse([body]);
  const inPieces = parse([0, ...cuts].map((from, index) => body.subarray(from, cuts[index] ?? body.length)));
  assert.deepEqual(inPieces, whole, 'the same, however it is cut');
}

function parse(chunks: readonly Buffer[]): Outcome {
  const parser = new MultipartParser(boundary);
  const parts: { head: string; bytes: string; ended: boolean }[] = [];
  try {
    for (const chunk of chunks) for (const event of parser.push(chunk)) take(parts, event);
  } catch (error) {
    assert.ok(error instanceof MultipartFault, `${String(error)} is not the sender's fault`);
    return 'fault';
  }
  // What an unfinished part still holds back may differ by how it arrived.
  return { parts: parts.filter(({ ended }) => ended), isComplete: parser.isComplete };
}

function take(parts: { head: string; bytes: string; ended: boolean }[], event: MultipartEvent): void {
  const last = parts.at(-1);
  if (event.type === 'begin') {
    assert.ok(last === undefined || last.ended, 'a part ends before the next begins');
    const { name, fileName, isFile, type } = event.head;
    assert.ok(typeof name === 'string' && typeof type === 'string' && typeof isFile === 'boolean');
    parts.push({ head: JSON.stringify([name, fileName, isFile, type]), bytes: '', ended: false });
    return;
  }
  assert.ok(last && !last.ended, 'bytes and ends belong to a part');
  if (event.type === 'end') last.ended = true;
  else last.bytes += event.bytes.toString('latin1');
}
