// The part of `tintype migrate` that moves the files of a backend, beside a running server until the last moment.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { databaseFile } from '../core.ts';
import { createBytePace } from '../keeping/files/byte-pace.ts';
import { copyStore, removeGone, type StoreMoveParts, type StorePass } from '../keeping/files/move-store.ts';
import { type MovedStore, noteMovedStore } from '../keeping/files/moved-stores.ts';
import { noteMoveOfNodes } from '../keeping/files/moves-of-nodes.ts';
import { listStored } from '../objects/list-stored.ts';
import { parseObjectKey } from '../objects/object-keys.ts';
import { sealSqliteFile } from '../platform/database/sqlite/file.ts';
import { AppError, OperatorError } from '../platform/errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { formatBytes } from '../lib/format-bytes.ts';
import { UsageError } from './arguments.ts';
import { printJson } from './output.ts';
import { readDatabase, withDatabase } from './read-database.ts';
import { type Progress, startProgress } from './progress.ts';
import { lockCommand, lockWhenStopped, waitForNodes } from './wait-for-stop.ts';

/** A busy service always has something new: then it is time to stop it. */
const mostPasses = 5;

export type StoreOptions = {
  backend: 'files' | 'storage';
  address: string;
  wait: boolean;
  json: boolean;
  bytesPerSecond: number | null;
};

export async function migrateStore(config: Config, options: StoreOptions): Promise<0 | 1> {
  const from = options.backend === 'files' ? config.filesStore : config.storageStore;
  if (from === options.address) throw new UsageError(`${from} is the store in use already`);
  const only = lockCommand(config.dataDir, 'tintype migrate');
  try {
    const move = await StoreMove.begin(config, options, from);
    await move.copy();
    if (!options.wait) {
      console.log('Copied. Run the same command again to finish; the server must be stopped for that.');
      return 0;
    }
    const lock = await lockWhenStopped(config.dataDir, 'tintype migrate', () => move.copyOnce());
    try {
      return await tell(options, await move.finish());
    } finally {
      lock.release();
    }
  } finally {
    only.release();
  }
}

class StoreMove {
  readonly #parts: StoreMoveParts;
  readonly #progress: Progress;
  readonly #config: Config;
  readonly #addresses: { from: string; to: string };
  readonly #journal: string;
  readonly #totals: StorePass = { files: 0, copied: 0, copiedBytes: 0, removed: 0, damaged: [] };
  /** When the last look that saw everything began. */
  #seenAt: number;

  private constructor(
    config: Config,
    addresses: { from: string; to: string },
    given: { parts: Omit<StoreMoveParts, 'onFile'>; journal: string; seenAt: number },
  ) {
    this.#config = config;
    this.#addresses = addresses;
    this.#journal = given.journal;
    this.#seenAt = given.seenAt;
    this.#progress = startProgress(`Moving ${addresses.from}:`, null);
    this.#parts = {
      ...given.parts,
      onFile: () => this.#progress.advance(1, formatBytes(this.#totals.copiedBytes)),
    };
  }

  static async begin(
    config: Config,
    { address: to, bytesPerSecond }: StoreOptions,
    from: string,
  ): Promise<StoreMove> {
    const name = createHash('sha256').update(`${from}\0${to}`).digest('hex').slice(0, 32);
    const journal = join(config.dataDir, 'moving', `${name}.json`);
    const target = await openStorage(to);
    const seenAt = await readSeenAt(journal);
    if (seenAt === null && (await holdsObjects(target)))
      throw new AppError('conflict', `${to} is not empty: it holds objects. Give an empty store`);
    await mkdir(join(config.dataDir, 'moving'), { recursive: true });
    await writeFile(journal, JSON.stringify({ seenAt: seenAt ?? 0 }));
    const parts = { from: await openStorage(from), to: target, pace: createBytePace(bytesPerSecond) };
    return new StoreMove(config, { from, to }, { parts, journal, seenAt: seenAt ?? 0 });
  }

  async copy(): Promise<void> {
    for (let pass = 1; pass <= mostPasses; pass += 1) if ((await this.copyOnce()) === 0) return;
  }

  async copyOnce(): Promise<number> {
    const startedAt = Date.now();
    const pass = await readDatabase(this.#config, (read) => copyStore(this.#parts, read, this.#seenAt));
    if (!pass) throw new OperatorError('There is no database that says what is stored');
    this.#seenAt = startedAt;
    await writeFile(this.#journal, JSON.stringify({ seenAt: startedAt }));
    this.#count(pass);
    return pass.copied;
  }

  /** With the server stopped. From the first note on, neither address can be served until all is there. */
  async finish(): Promise<StorePass> {
    await this.#note('finishing');
    failpoint('move:finishing');
    await this.#untilAlone();
    while ((await this.copyOnce()) > 0);
    await removeGone(this.#parts, this.#totals);
    this.#progress.stop();
    await this.#note('moved');
    return this.#totals;
  }

  async #note(state: MovedStore['state']): Promise<void> {
    const moved = { ...this.#addresses, state, at: new Date().toISOString() };
    noteMovedStore(this.#config.dataDir, moved);
    if (this.#config.DATABASE_URL)
      await withDatabase(this.#config, (database) => noteMoveOfNodes(database, moved));
  }

  /** An import that began before would go on writing where nobody looks any more: nobody may have the database open. */
  async #untilAlone(): Promise<void> {
    if (!this.#config.DATABASE_URL) return sealSqliteFile(databaseFile(this.#config));
    await withDatabase(this.#config, (database) => waitForNodes(database, () => this.copyOnce()));
  }

  #count(pass: StorePass): void {
    this.#totals.files = pass.files;
    this.#totals.copied += pass.copied;
    this.#totals.copiedBytes += pass.copiedBytes;
    this.#totals.damaged.push(...pass.damaged);
  }
}

async function readSeenAt(journal: string): Promise<number | null> {
  const text = await readFile(journal, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as { seenAt: number }).seenAt;
}

async function holdsObjects(storage: Storage): Promise<boolean> {
  for await (const { key } of listStored(storage)) if (parseObjectKey(key)) return true;
  return false;
}

async function tell({ backend, address, json }: StoreOptions, totals: StorePass): Promise<0 | 1> {
  const setting = backend === 'files' ? 'FILES_STORE' : 'STORAGE_STORE';
  if (json) printJson({ ...totals, [setting]: address });
  else {
    for (const { object_id: id, account_id: account, key } of totals.damaged)
      console.log(`Copied as it is, but not what its record says: ${key} (object ${id} of ${account})`);
    console.log(
      `Moved: ${totals.files} files; ${totals.copied} copied now, ${formatBytes(totals.copiedBytes)}\nNow set ${setting}=${address} and start the server. The old files stay where they are until you delete them.`,
    );
  }
  return totals.damaged.length === 0 ? 0 : 1;
}
