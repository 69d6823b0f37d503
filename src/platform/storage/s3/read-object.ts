// Reads an object, or a part of one, as a stream that ends well only when every byte came, and, where the server keeps a
// checksum of the whole, the right ones.

import { PassThrough, pipeline, type Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { AppError } from '../../errors.ts';
import type { OpenedObject } from '../remote-storage.ts';
import type { ByteRange } from '../storage.ts';
import { base64OfCrc32 } from './part-sums.ts';
import type { S3Calls } from './s3-calls.ts';
import { BrokenBody, isAbsentKey, remoteError } from './s3-errors.ts';

const idleMs = 10_000;

export async function readObject(
  calls: S3Calls,
  key: string,
  range: ByteRange | undefined,
): Promise<OpenedObject | null> {
  try {
    const output = await calls.attempt(({ client, signal }) =>
      client.send(
        new calls.sdk.GetObjectCommand({
          Bucket: calls.bucket,
          Key: calls.nameOf(key),
          ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
        }),
        { abortSignal: signal },
      ),
    );
    return opened(output, range);
  } catch (error) {
    if (isAbsentKey(error)) return null;
    throw remoteError(error);
  }
}

function opened(output: GetObjectCommandOutput, range: ByteRange | undefined): OpenedObject {
  const body = output.Body as Readable;
  const length = output.ContentLength;
  const whole = Number(output.ContentRange?.split('/')[1] ?? length);
  if (length === undefined || !Number.isSafeInteger(whole) || (range && output.ContentRange === undefined)) {
    body.on('error', () => undefined).destroy();
    // A server that does not know ranges answers with everything, or with nothing at all.
    if (range && whole === 0) throw new AppError('range_not_satisfiable');
    throw new BrokenBody('The storage did not say what it sends');
  }
  // A checksum of several parts, which has a hyphen, cannot be compared with the bytes.
  const isWhole = !range && !output.ChecksumCRC32?.includes('-');
  return { sizeBytes: whole, stream: proven(body, length, isWhole ? output.ChecksumCRC32 : undefined) };
}

function proven(body: Readable, length: number, checksum: string | undefined): Readable {
  let bytes = 0;
  let crc = 0;
  const idle = setTimeout(() => {
    // What is still here waits for whoever reads, who may be slow.
    if (stream.readableLength > 0) idle.refresh();
    else body.destroy(new BrokenBody('The storage stopped sending'));
  }, idleMs);
  const stream = new PassThrough({
    transform(chunk: Buffer, _encoding, callback) {
      idle.refresh();
      bytes += chunk.length;
      if (checksum !== undefined) crc = crc32(chunk, crc);
      callback(null, chunk);
    },
    flush(callback) {
      if (bytes !== length) callback(new BrokenBody(`The storage sent ${bytes} bytes of ${length}`));
      else if (checksum !== undefined && base64OfCrc32(crc) !== checksum)
        callback(new BrokenBody('The storage sent other bytes than were stored'));
      else callback();
    },
  });
  // Also ends the request when whoever reads goes away.
  pipeline(body, stream, () => clearTimeout(idle));
  return stream;
}
