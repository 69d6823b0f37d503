// What every check of a scrub works with.
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import type { BytePace } from '../files/byte-pace.ts';
import type { Finding } from './finding.ts';

export type ScrubParts = {
  readonly database: Database;
  readonly stores: Stores;
  /** Those through which nodes share variants. */
  readonly sharedStores: ReadonlySet<keyof Stores>;
  /** Folders of variants on this machine. */
  readonly variantFolders: { readonly kept: string; readonly cache: string };
  /** Where this machine keeps copies of files in stores elsewhere. */
  readonly copiesFolder: string;
  /** Only this backend's files; null for both, and the variants. */
  readonly only: keyof Stores | null;
  readonly repair: boolean;
  readonly pace: BytePace;
  /** Makes the poster of a film anew, and notes what it is. */
  readonly remakePoster: (film: ObjectRow) => Promise<void>;
  /** Makes a variant again that was asked to be kept; false when it cannot be. */
  readonly remakeVariant: (object: ObjectRow, name: string) => Promise<boolean>;
  readonly report: (finding: Finding) => void;
  /** A file was read. */
  readonly onFile: () => void;
};

/** The record as it is now; nothing when its object was deleted meanwhile, and then nothing is wrong. */
export function findRecord({ database }: ScrubParts, generation: string): Promise<ObjectRow | undefined> {
  return database.read
    .selectFrom('objects')
    .selectAll()
    .where('generation', '=', generation)
    .executeTakeFirst();
}

export async function reportOf(
  parts: ScrubParts,
  object: ObjectRow,
  finding: Pick<Finding, 'kind' | 'problem' | 'detail'> & { key: string },
  repair: (() => Promise<string | null>) | null = null,
): Promise<void> {
  const { key, ...rest } = finding;
  if (!(await findRecord(parts, object.generation))) return;
  parts.report({
    ...rest,
    where: `${object.backend}:${key}`,
    account_id: object.account_id,
    object_id: object.object_id,
    repair: parts.repair && repair ? await repair() : null,
  });
}
