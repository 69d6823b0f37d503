// A process of its own on a database or data folder that others use too. What it does is its first argument, where its second.
import { sql } from 'kysely';
import { lockDataDir } from '../../src/platform/database/data-dir-lock.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';

const [action, place = ''] = process.argv.slice(2);

async function migrateSlowly(): Promise<void> {
  const database = openSqliteDatabase(place);
  await database.migrate([
    {
      name: 'once',
      async up(tx) {
        await sql`create table runs (pid bigint not null)`.execute(tx);
        await sql`insert into runs values (${process.pid})`.execute(tx);
        await new Promise((resolve) => setTimeout(resolve, 100));
      },
    },
  ]);
  await database.close();
}

async function throwInListener(): Promise<void> {
  process.on('uncaughtException', (error) => console.log(`uncaught: ${error.message}`));
  const database = openSqliteDatabase(place);
  database.listen('topic', () => {
    throw new Error('a listener');
  });
  database.listen('topic', (key) => console.log(`heard ${key}`));
  await database.write((tx) => database.announce(tx, 'topic', 'first'));
  console.log('resolved');
  await database.write((tx) => database.announce(tx, 'other', 'second'));
  console.log('and again');
  await database.close();
}

async function holdLock(release: boolean): Promise<void> {
  const lock = lockDataDir(place, 'http://child.example');
  console.log('locked');
  await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  if (release) lock.release();
}

if (action === 'migrate') await migrateSlowly();
else if (action === 'throw') await throwInListener();
else await holdLock(action === 'lock-and-release');
