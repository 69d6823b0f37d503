import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { insertObject, newTestAccount } from '../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { keysIn, openTempStores } from '../../test/support/temp-stores.ts';
import type { Account } from '../accounts/tables.ts';
import { filmKey } from '../objects/object-keys.ts';
import type { Stores } from '../objects/stores.ts';
import type { ObjectRow } from '../objects/tables.ts';
import { tidyFilmHandlers, tidyFilmJob } from './tidy-film.ts';

const [early, current, dead] = ['111111111111', '222222222222', '333333333333'];
const context = { signal: new AbortController().signal, attempt: 1 };

describe('tidying up behind a film', () => {
  let temp: TempDatabase;
  let account: Account;
  let stores: Stores;
  before(async () => {
    temp = await openTempDatabase();
    account = await newTestAccount(temp.database);
  });
  after(() => temp[Symbol.asyncDispose]());

  /** A film with three streams in storage; what is left of them when it was tidied. */
  async function leftOf(values: Partial<ObjectRow>): Promise<string[]> {
    const film = await insertObject(temp.database, account, { kind: 'video', duration_ms: 1000, ...values });
    stores = openTempStores(join(temp.folder, film.generation));
    const names = ['poster.jpg', ...[early, current, dead].flatMap((each) => [`${each}/a`, `${each}/b/c`])];
    for (const name of names)
      await stores.files.put(filmKey(film.bucket_id, film.generation, name), Buffer.from(name));
    const handler = tidyFilmHandlers({ database: temp.database, stores })['tidy-film'];
    await handler?.run({ generation: film.generation } as never, context);
    const folder = filmKey(film.bucket_id, film.generation, '');
    return (await keysIn(stores.files)).map((key) => key.slice(folder.length));
  }
  const recordOf = (revision: string | null): string =>
    JSON.stringify({ stream: revision && { kind: 'own', revision, renditions: [], extras: true } });

  test('leaves the poster and the stream that is shown', async () => {
    const left = await leftOf({ status: 'ready', film: recordOf(current as string) });
    assert.deepEqual(left, [`${current}/a`, `${current}/b/c`, 'poster.jpg']);
  });

  test('leaves only the poster of one that has failed', async () => {
    assert.deepEqual(await leftOf({ status: 'failed', film: recordOf(null) }), ['poster.jpg']);
  });

  test('touches nothing while it is worked on', async () => {
    const left = await leftOf({ status: 'processing', film: recordOf(early as string) });
    assert.equal(left.length, 7);
  });

  test('comes hours later, and after a film could be played twice', () => {
    const hourMs = 3_600_000;
    const [soon] = tidyFilmJob({ generation: 'g', duration_ms: 1000 } as ObjectRow);
    const [late] = tidyFilmJob({ generation: 'g', duration_ms: 10 * hourMs } as ObjectRow);
    assert.ok((soon?.runAt ?? 0) >= Date.now() + 5.9 * hourMs);
    assert.ok((late?.runAt ?? 0) >= Date.now() + 19.9 * hourMs);
  });
});
