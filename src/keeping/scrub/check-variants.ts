// Checks the variants that lie on this machine. Each carries its own hash, so none needs its original; one that is damaged
// is removed by a repair, and made again when somebody asks for it.
import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { formats, type Format } from '../../images/address/formats.ts';
import { encodeTrailer, readVariant, type VariantFacts } from '../../images/variants/variant-file.ts';
import { variantsFolder } from '../../images/variants/variant-path.ts';
import { ImageFault, type ImageType, walkWholeImage } from '../../lib/walk-image.ts';
import { isThere } from '../../platform/is-there.ts';
import { listFiles } from '../../platform/storage/list-files.ts';
import { forEachAtOnce } from '../at-once.ts';
import { isSoundPng } from './sound-png.ts';
import { findRecord, type ScrubParts } from './scrub-parts.ts';

const filesAtOnce = 4;
const pageSize = 500;

export async function checkVariants(parts: ScrubParts): Promise<void> {
  for (const root of Object.values(parts.variantFolders))
    await forEachAtOnce(listFiles(root, ''), filesAtOnce, async ({ key, size }) => {
      await parts.pace(size);
      const path = join(root, key);
      const detail = await faultOf(path);
      parts.onFile();
      if (detail !== null) await reportDamage(parts, path, key, detail);
    });
  await checkKept(parts);
}

/** By what the file can be known; frames of films and faces have no hash, and can only be seen to be whole. */
async function faultOf(path: string): Promise<string | null> {
  const name = basename(path);
  if (name.endsWith('mask.png')) return (await soundness(path, isSoundPng)) ? null : 'is no whole mask';
  if (name.endsWith('faces.json')) return (await soundness(path, isJsonList)) ? null : 'is no list of faces';
  if (name.endsWith('still.jpg')) return (await soundness(path, isWholeJpeg)) ? null : 'is no whole frame';
  const variant = await readVariant(path);
  if (variant === null) return (await isThere(path)) ? 'is not whole' : null;
  try {
    return faultOfBytes(await variant.handle.readFile(), variant, name);
  } finally {
    await variant.handle.close();
  }
}

/** One that was evicted meanwhile is fine. */
async function soundness(path: string, isSound: (bytes: Buffer) => boolean): Promise<boolean> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null || isSound(bytes);
}

function isJsonList(bytes: Buffer): boolean {
  try {
    return Array.isArray(JSON.parse(bytes.toString()));
  } catch {
    return false;
  }
}

function isWholeJpeg(bytes: Buffer): boolean {
  return sizeOf('image/jpeg', bytes) !== null;
}

function faultOfBytes(bytes: Buffer, facts: VariantFacts, name: string): string | null {
  const image = bytes.subarray(0, facts.size);
  if (hash('sha256', image) !== facts.sha256) return 'has other bytes than were made';
  if (!bytes.subarray(facts.size).equals(encodeTrailer(facts))) return 'does not say what it is';
  const { mediaType } = formats[name.slice(name.lastIndexOf('.') + 1) as Format] ?? {};
  const size = mediaType ? sizeOf(mediaType as ImageType, image) : null;
  if (size === null || `${size.width}×${size.height}` === `${facts.width}×${facts.height}`) return null;
  return 'is not as large as it says';
}

function sizeOf(type: ImageType, image: Buffer): { width: number; height: number } | null {
  try {
    return walkWholeImage(type, image);
  } catch (error) {
    if (error instanceof ImageFault) return null;
    throw error;
  }
}

async function reportDamage(parts: ScrubParts, path: string, key: string, detail: string): Promise<void> {
  const generation = key.split('/').at(-2) ?? '';
  if (parts.repair) await rm(path, { force: true });
  const object = await findRecord(parts, generation);
  parts.report({
    kind: 'variant',
    problem: 'damaged',
    where: path,
    detail,
    ...(object ? { account_id: object.account_id, object_id: object.object_id } : {}),
    repair: parts.repair ? 'removed; it is made again when it is asked for' : null,
  });
}

/** Those that were made with /create are promised to be there. */
async function checkKept(parts: ScrubParts): Promise<void> {
  for (let after = ''; ;) {
    const page = await parts.database.read
      .selectFrom('kept_variants')
      .innerJoin('objects', 'objects.generation', 'kept_variants.generation')
      .select(['kept_variants.generation', 'kept_variants.name', 'kept_variants.file', 'objects.bucket_id'])
      .where('kept_variants.generation', '>', after)
      .orderBy('kept_variants.generation')
      .limit(pageSize)
      .execute();
    // All of the last one's may not have fitted; it is the first of the next page then.
    const last = page.at(-1)?.generation;
    const isLastPage = page.length < pageSize;
    const whole = isLastPage ? page : page.filter(({ generation }) => generation !== last);
    for (const kept of whole) await checkOneKept(parts, kept);
    if (isLastPage || whole.length === 0) return;
    after = whole.at(-1)?.generation as string;
  }
}

type Kept = { generation: string; name: string; file: string; bucket_id: string };

async function checkOneKept(parts: ScrubParts, { generation, name, file, bucket_id: bucketId }: Kept) {
  // Rows of earlier versions do not tell the file.
  if (file === '') return;
  const { kept, cache } = parts.variantFolders;
  const path = join(variantsFolder(kept, bucketId, generation), file);
  if ((await isThere(path)) || (await isThere(join(variantsFolder(cache, bucketId, generation), file))))
    return;
  const object = await findRecord(parts, generation);
  if (!object) return;
  const isMade = parts.repair && (await parts.remakeVariant(object, name));
  parts.report({
    kind: 'variant',
    problem: 'missing',
    where: path,
    detail: `${name} was made to be kept, and is gone`,
    account_id: object.account_id,
    object_id: object.object_id,
    repair: isMade ? 'made anew' : null,
  });
}
