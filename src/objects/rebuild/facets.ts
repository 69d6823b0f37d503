// Computes from an account's objects all that is normally kept with every change: facets for listing, and the counters.
// Objects come in their order, so only the blocks being filled are in memory, and each is written once.
import { markAsTold } from '../../accounts/full-storage.ts';
import { countedSeconds } from '../../accounts/quota.ts';
import { type Account } from '../../accounts/tables.ts';
import {
  blockSize,
  countPlaces,
  emptyPlaces,
  encodePlaces,
  type Places,
  setPlace,
} from '../../lib/block-members.ts';
import type { Database } from '../../platform/database/database.ts';
import { runStatements } from '../../platform/database/statement.ts';
import { facetsOf } from '../facets.ts';
import type { FacetBlockTable, ObjectRow } from '../tables.ts';

const rowsPerStatement = 1000;

export async function settleAccount(database: Database, account: Account): Promise<{ objects: number }> {
  const blocks = new BlockWriter(database, account.account_id);
  let objects = 0;
  let storageBytes = 0;
  let videoSeconds = 0;
  let lastSeq = 0;
  for await (const object of inOrder(database, account.account_id)) {
    await blocks.add(object);
    objects += 1;
    if (object.duration_ms === null) storageBytes += object.size_bytes;
    else videoSeconds += countedSeconds(object.duration_ms);
    lastSeq = object.seq;
  }
  await blocks.finish();
  await database.write(async (tx) => {
    await tx
      .updateTable('accounts')
      .set({
        storage_used_bytes: storageBytes,
        video_seconds_used: videoSeconds,
        object_count: objects,
        next_seq: Math.max(account.next_seq, lastSeq + 1),
      })
      .where('account_id', '=', account.account_id)
      .execute();
    await runStatements(tx, [markAsTold(account.account_id)]);
  });
  return { objects };
}

type Listed = Pick<ObjectRow, 'seq' | 'kind' | 'folder' | 'tags' | 'size_bytes' | 'duration_ms'>;

async function* inOrder(database: Database, accountId: string): AsyncGenerator<Listed> {
  for (let after = -1; ;) {
    const page = await database.read
      .selectFrom('objects')
      .select(['seq', 'kind', 'folder', 'tags', 'size_bytes', 'duration_ms'])
      .where('account_id', '=', accountId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(blockSize)
      .execute();
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

class BlockWriter {
  readonly #database: Database;
  readonly #accountId: string;
  readonly #counts = new Map<string, number>();
  #places = new Map<string, Places>();
  #block = 0;
  #rows: FacetBlockTable[] = [];

  constructor(database: Database, accountId: string) {
    this.#database = database;
    this.#accountId = accountId;
  }

  async add(object: Listed): Promise<void> {
    const block = Math.floor(object.seq / blockSize);
    if (block !== this.#block) this.#closeBlock();
    this.#block = block;
    if (this.#rows.length >= rowsPerStatement) await this.#write();
    for (const facet of facetsOf(object)) {
      const places = this.#places.get(facet) ?? emptyPlaces();
      setPlace(places, object.seq % blockSize);
      this.#places.set(facet, places);
      this.#counts.set(facet, (this.#counts.get(facet) ?? 0) + 1);
    }
  }

  async finish(): Promise<void> {
    this.#closeBlock();
    await this.#write();
    const counts = [...this.#counts].map(([facet, count]) => ({ account_id: this.#accountId, facet, count }));
    for (const rows of inChunks(counts))
      await this.#database.write((tx) => tx.insertInto('facets').values(rows).execute());
  }

  #closeBlock(): void {
    for (const [facet, places] of this.#places) {
      this.#rows.push({
        account_id: this.#accountId,
        facet,
        block: this.#block,
        count: countPlaces(places),
        members: encodePlaces(places),
      });
    }
    this.#places = new Map();
  }

  async #write(): Promise<void> {
    for (const rows of inChunks(this.#rows))
      await this.#database.write((tx) => tx.insertInto('facet_blocks').values(rows).execute());
    this.#rows = [];
  }
}

function* inChunks<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement)
    yield rows.slice(start, start + rowsPerStatement);
}
