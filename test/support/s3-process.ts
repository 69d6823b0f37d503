// The process behind `s3-server.ts`: s3rver, which speaks the protocol and checks signatures, with buckets in memory instead
// of its folders, whose writes are not whole at once, whose listings have no order and whose deletions disturb each other.
import { createHash, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
// It hides the next key of a listing by DES, which today's OpenSSL does not have.
const crypto = require('node:crypto');
for (const name of ['createCipheriv', 'createDecipheriv']) {
  const original = crypto[name];
  crypto[name] = (cipher: string, key: Buffer, iv: Buffer) =>
    cipher === 'des'
      ? original('aes-128-cbc', Buffer.concat([key, key]), Buffer.concat([iv, iv]))
      : original(cipher, key, iv);
}
const S3rver = require('s3rver');
const S3Object = require('s3rver/lib/models/object');
const S3Bucket = require('s3rver/lib/models/bucket');
const S3Error = require('s3rver/lib/models/error');

type Stored = { bytes: Buffer; md5: string; modifiedAt: Date };
type ObjectToPut = { bucket: string; key: string; content: Readable };

const buckets = new Map<string, Map<string, Stored>>();
const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();

function store(bytes: Buffer): Stored {
  return { bytes, md5: createHash('md5').update(bytes).digest('hex'), modifiedAt: new Date() };
}

function factsOf({ bytes, md5, modifiedAt }: Stored): Record<string, unknown> {
  return {
    etag: JSON.stringify(md5),
    'last-modified': modifiedAt.toUTCString(),
    'content-length': bytes.length,
  };
}

function objectsIn(bucket: string): Map<string, Stored> {
  const found = buckets.get(bucket);
  if (!found) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist');
  return found;
}

const memory = {
  reset: () => buckets.clear(),
  listBuckets: async () => [...buckets.keys()].map((name) => new S3Bucket(name, new Date())),
  getBucket: async (name: string) => (buckets.has(name) ? new S3Bucket(name, new Date()) : null),
  putBucket: async (name: string) => {
    if (!buckets.has(name)) buckets.set(name, new Map());
    return new S3Bucket(name, new Date());
  },
  existsObject: async (bucket: string, key: string) => objectsIn(bucket).has(key),
  async getObject(bucket: string, key: string, { start = 0, end = Infinity, ...asked }: any) {
    const found = objectsIn(bucket).get(key);
    if (!found) return null;
    const last = Math.min(end, found.bytes.length - 1);
    const ranged = start > 0 || end !== Infinity || 'start' in asked;
    const content = last >= start || !ranged ? Readable.from([found.bytes.subarray(start, last + 1)]) : null;
    const object = new S3Object(bucket, key, content, factsOf(found));
    if (ranged) object.range = { start, end: last };
    return object;
  },
  async listObjects(bucket: string, { startAfter = '', prefix = '', maxKeys = 1000 }: any) {
    const keys = [...objectsIn(bucket).keys()]
      .filter((key) => key > startAfter && key.startsWith(prefix))
      .sort();
    const objects = keys
      .slice(0, maxKeys)
      .map((key) => new S3Object(bucket, key, null, factsOf(objectsIn(bucket).get(key) as Stored)));
    return { objects, commonPrefixes: [], isTruncated: keys.length > maxKeys };
  },
  async putObject({ bucket, key, content }: ObjectToPut) {
    const stored = store(Buffer.isBuffer(content) ? content : await buffer(content));
    objectsIn(bucket).set(key, stored);
    return { size: stored.bytes.length, md5: stored.md5 };
  },
  async deleteObject(bucket: string, key: string) {
    objectsIn(bucket).delete(key);
  },
  async initiateUpload(_bucket: string, key: string, uploadId: string) {
    uploads.set(uploadId, { key, parts: new Map() });
  },
  async putPart(_bucket: string, uploadId: string, number: string, content: Readable) {
    const stored = store(await buffer(content));
    uploads.get(uploadId)?.parts.set(Number(number), stored.bytes);
    return { size: stored.bytes.length, md5: stored.md5 };
  },
  async putObjectMultipart(bucket: string, uploadId: string, parts: { number: number }[]) {
    const upload = uploads.get(uploadId);
    if (!upload) throw new S3Error('NoSuchUpload', 'The specified upload does not exist');
    const bytes = Buffer.concat(parts.map(({ number }) => upload.parts.get(number) as Buffer));
    uploads.delete(uploadId);
    return memory.putObject({ bucket, key: upload.key, content: bytes as never });
  },
  getSubresource: async () => null,
};

const server = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  vhostBuckets: false,
  directory: `/nonexistent/${randomUUID()}`,
});
server.store = server.context.store = memory;
for (const name of process.argv.slice(2)) await memory.putBucket(name);
const { port } = await server.run();
process.send?.(port);
process.on('disconnect', () => process.exit());
