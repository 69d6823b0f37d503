// Imports one thing of a source: what it is to be called, whether it is there already, and what became of it.
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { checkTags, cleanFileName, parseFolder, parseObjectId } from '../objects/object-fields.ts';
import { judge } from './import-fault.ts';
import type { FoundAddress, ImportItem } from './import-source.ts';
import type { ImportTarget, ItemUpload, StoredItem } from './import-target.ts';
import type { ImportJournal, ItemMark } from './journal.ts';

export type ImportParts = {
  /** The source's name. */
  readonly from: string;
  readonly target: ImportTarget;
  readonly journal: ImportJournal;
  readonly terms: ImportTerms;
  /** Asks to stop. */
  readonly signal: AbortSignal;
};
/** What all objects of an import have in common. */
export type ImportTerms = {
  readonly folder: string | null;
  readonly tags: readonly string[];
  /** Whether the folders below the source become folders of the objects. */
  readonly keepPaths: boolean;
};
export type ItemOutcome =
  | { kind: 'uploaded'; path: string; bytes: number }
  | { kind: 'already'; path: string }
  | { kind: 'skipped' | 'failed'; path: string; reason: string };

/** Throws only what must stop the whole import. */
export async function importItem(parts: ImportParts, item: ImportItem): Promise<ItemOutcome> {
  if ('reason' in item) return item;
  const { path } = item;
  try {
    if (item.kind === 'address') {
      const store = (upload: ItemUpload) => parts.target.storeAddress(item.url, upload);
      return await importOnce(parts, { path, state: '' }, fieldsOfAddress(parts.terms, item), store);
    }
    await using file = await item.open();
    const store = (upload: ItemUpload) => parts.target.storeFile(file, upload);
    return await importOnce(parts, { path, state: file.state }, fieldsOfFile(parts.terms, path), store);
  } catch (error) {
    return { ...judge(error), path };
  }
}

type Fields = Pick<ItemUpload, 'objectId' | 'tags' | 'folder' | 'fileName'>;

async function importOnce(
  { from, target, journal, signal }: ImportParts,
  mark: ItemMark,
  fields: Fields,
  store: (upload: ItemUpload) => Promise<StoredItem>,
): Promise<ItemOutcome> {
  const { path } = mark;
  if (journal.has(mark)) return { kind: 'already', path };
  const idempotencyKey = idempotencyKeyOf(from, mark);
  const before = await target.storedBefore(idempotencyKey);
  if (before !== undefined) {
    await journal.add(mark, before);
    return { kind: 'already', path };
  }
  const unfinished = {
    read: () => journal.unfinished(mark),
    write: (note: string) => journal.begin(mark, note),
  };
  const { objectId, sizeBytes } = await store({ ...fields, idempotencyKey, unfinished, signal });
  await journal.add(mark, objectId);
  return { kind: 'uploaded', path, bytes: sizeBytes };
}

function fieldsOfFile({ folder, tags, keepPaths }: ImportTerms, path: string): Fields {
  const below = keepPaths ? dirname(path) : '.';
  const parts = [folder ?? '', below === '.' ? '' : below].filter((part) => part !== '');
  return {
    objectId: null,
    tags,
    folder: parseFolder(parts.join('/')),
    fileName: cleanFileName(basename(path)),
  };
}

function fieldsOfAddress({ folder, tags }: ImportTerms, item: FoundAddress): Fields {
  const own = item.tags?.split(',') ?? [];
  return {
    objectId: parseObjectId(item.objectId),
    tags: checkTags([...tags, ...own]),
    folder,
    fileName: '',
  };
}

/** Finds the upload of a run that died after the commit and before its line in the journal. */
function idempotencyKeyOf(from: string, { path, state }: ItemMark): string {
  const name = [from, path, state].join('\0');
  return `import:${createHash('sha256').update(name).digest('hex')}`;
}
