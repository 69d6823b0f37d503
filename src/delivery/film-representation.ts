// A file of a film as it is sent: a playlist at hand, or a segment from storage, held in memory when it is small.
import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../platform/errors.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Range } from './byte-range.ts';
import type { FilmFile } from './film-files.ts';
import { type ObjectFacts, unlessInDoubt } from './object-facts.ts';
import {
  heldRepresentation,
  type Lifetime,
  maxHeldBytes,
  type Representation,
  representationHeaders,
} from './representation.ts';

export async function filmRepresentation(
  storage: Storage,
  facts: ObjectFacts,
  options: {
    file: Exclude<FilmFile, { kind: 'elsewhere' }>;
    lifetime: Lifetime;
    tag: { header: string; value: string };
  },
): Promise<Representation> {
  const { file, lifetime, tag } = options;
  const common = { type: file.type, lifetime, varies: false, tag };
  if (file.kind === 'text') {
    const sha256 = hash('sha256', file.bytes, 'hex');
    return heldRepresentation([facts], file.bytes, representationHeaders({ ...common, sha256 }));
  }
  const { sizeBytes, sha256 } = file.file;
  const headers = representationHeaders({ ...common, sha256 });
  const open = async (range: Range | null): Promise<Readable> => {
    const stream = await storage.get(file.key, range ?? undefined);
    if (!stream) throw unlessInDoubt(facts, new AppError('object_not_found'));
    return stream;
  };
  if (sizeBytes <= maxHeldBytes) return heldRepresentation([facts], await buffer(await open(null)), headers);
  return { facts: [facts], sizeBytes, ...headers, bytes: null, open, close: () => Promise.resolve() };
}
