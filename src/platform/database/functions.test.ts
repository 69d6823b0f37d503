// The functions that every engine brings under the same names do the same to the byte. Which one is under test: see
// test/support/test-database.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import { emptyPlaces, encodePlaces, setPlace, subtractPlaces, unitePlaces } from '../../lib/block-members.ts';

describe('sets of places', () => {
  let temp: TempDatabase;
  before(async () => {
    // They come with the first migration.
    temp = await openTempDatabase([{ name: '1', up: async () => undefined }]);
  });
  after(() => temp[Symbol.asyncDispose]());

  const placesOf = (members: readonly number[]) => {
    const places = emptyPlaces();
    for (const member of members) setPlace(places, member);
    return places;
  };
  const bytesOf = (members: readonly number[]) => Buffer.from(encodePlaces(placesOf(members)));
  const place = fc.integer({ min: 0, max: 4095 });
  const few = fc.uniqueArray(place, { maxLength: 5 });
  const around = fc.uniqueArray(place, { minLength: 250, maxLength: 262 });
  const members = fc.oneof(few, around, fc.uniqueArray(place, { maxLength: 4096 }));

  const result = async (name: string, left: readonly number[], right: readonly number[]) => {
    const call = sql<{
      made: Uint8Array;
    }>`select ${sql.raw(name)}(${bytesOf(left)}, ${bytesOf(right)}) as made`;
    return Buffer.from((await call.execute(temp.database.read)).rows[0]?.made as Uint8Array);
  };

  test('are united', async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.oneof(few, members), async (left, right) => {
        const both = placesOf(left);
        unitePlaces(both, placesOf(right));
        assert.deepEqual(await result('united_members', left, right), Buffer.from(encodePlaces(both)));
      }),
      { numRuns: 60 },
    );
  });

  test('are diminished', async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.oneof(few, members), async (left, right) => {
        const rest = placesOf(left);
        subtractPlaces(rest, placesOf(right));
        assert.deepEqual(await result('members_without', left, right), Buffer.from(encodePlaces(rest)));
      }),
      { numRuns: 60 },
    );
  });

  test('begin with one', async () => {
    for (const one of [0, 1, 255, 256, 4095]) {
      const { rows } = await sql<{ made: Uint8Array }>`select place_members(${one}) as made`.execute(
        temp.database.read,
      );
      assert.deepEqual(Buffer.from(rows[0]?.made as Uint8Array), bytesOf([one]));
    }
  });

  test('the clock tells the time', async () => {
    const { rows } = await sql<{ now: number }>`select clock_ms() as now`.execute(temp.database.read);
    assert.ok(Math.abs((rows[0]?.now ?? 0) - temp.database.now()) < 2000);
  });
});
