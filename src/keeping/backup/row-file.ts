// Rows of a table as a file: a line of JSON for each, compressed, and checked by a hash over the file and one over the rows.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { OperatorError } from '../../platform/errors.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { hashStored } from '../files/hash-file.ts';
import { parseRow, printRow, RowChecksum } from '../rows/row-text.ts';
import type { Row } from '../rows/table-shape.ts';
import type { BackedUpTable } from './backup-format.ts';

type Written = Pick<BackedUpTable, 'rows' | 'checksum' | 'sha256'>;

export async function writeRowFile(
  storage: Storage,
  key: string,
  pages: AsyncIterable<readonly Row[]>,
): Promise<Written> {
  const checksum = new RowChecksum();
  const hash = createHash('sha256');
  const lines = async function* () {
    for await (const page of pages) {
      const printed = page.map(printRow);
      for (const line of printed) checksum.add(line);
      if (printed.length > 0) yield `${printed.join('\n')}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    const hashed = async function* () {
      for await (const chunk of compressed) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await storage.put(key, hashed());
  });
  const sha256 = hash.digest('hex');
  if ((await hashStored(storage, key))?.sha256 !== sha256)
    throw new OperatorError(`${key} could not be written as it was read; is the place of the backup sound?`);
  return { rows: checksum.count, checksum: checksum.toString(), sha256 };
}

/** Throws at its end when the file is not what it was. */
export async function* readRowFile(
  storage: Storage,
  { key, rows, checksum, sha256 }: BackedUpTable,
): AsyncGenerator<Row> {
  const stream = await storage.get(key);
  if (!stream) throw new OperatorError(`${key} is missing in the backup`);
  const hash = createHash('sha256');
  const found = new RowChecksum();
  const unpacked = createGunzip();
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const unpacking = pipeline(stream, hashed, unpacked);
  // Whoever reads what was unpacked meets the same fault.
  unpacking.catch(() => undefined);
  try {
    for await (const line of linesOf(unpacked)) {
      found.add(line);
      yield parseRow(line);
    }
    await unpacking;
  } catch (cause) {
    const isDamage =
      cause instanceof SyntaxError || String((cause as { code?: string }).code).startsWith('Z_');
    throw isDamage ? new OperatorError(`${key} is damaged in the backup`, { cause }) : cause;
  } finally {
    stream.destroy();
  }
  if (hash.digest('hex') !== sha256 || found.count !== rows || found.toString() !== checksum)
    throw new OperatorError(`${key} is damaged in the backup`);
}

/** Node's own reader of lines also breaks them at signs that may stand in a text. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
