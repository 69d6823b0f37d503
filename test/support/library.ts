// A small library with one of everything that is stored, for commands that work on all of it.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { makeFilm } from './films.ts';
import { uploadFilm, untilStatus } from './film-server.ts';
import { picture } from './pictures.ts';
import type { TestServer } from './server.ts';

export async function fillLibrary(server: TestServer, pictures = 6): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < pictures; index += 1) {
    const fields = { tags: `t${index % 3},all`, ...(index % 2 ? { folder: 'odd' } : {}) };
    const { status, body } = await server.upload(await picture(40 + index, 30), fields);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(body.object_id);
  }
  const film = await uploadFilm(server, makeFilm({ seconds: 1 }));
  await untilStatus(server, film.object_id);
  const made = await server.json(`/create/${ids[0]}/w-20.webp`);
  assert.equal(made.status, 200);
  await jobsDone(server);
  return [...ids, film.object_id];
}

/** Nothing is left to be done now; what is due in hours may wait. */
export function jobsDone({ app }: Pick<TestServer, 'app'>): Promise<void> {
  return eventually(async () => {
    const due = await app.core.database.read
      .selectFrom('jobs')
      .select('kind')
      .where('run_at', '<', Date.now() + 60_000)
      .execute();
    assert.deepEqual(due, []);
  }, 30_000);
}

/** All files below a folder, but those that are still being written. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.staging'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
