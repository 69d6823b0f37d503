// A walk through a service of several nodes, from outside: through what stands in front (BASE_URL) and past it (NODE_URLS).
// Run by test/cluster.sh; fits any other deployment that gives the operator's key as BOOTSTRAP_API_KEY.
import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';

const front = setting('BASE_URL');
const nodes = setting('NODE_URLS').trim().split(/\s+/);
const key = setting('BOOTSTRAP_API_KEY');
const filmMs = 120_000;

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function ask(base: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
  return fetch(base + path, { ...init, headers });
}

async function askJson<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await ask(front, path, init);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text) as T;
}

async function upload(file: Buffer, name: string): Promise<{ object_id: string; path: string }> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(file)]), name);
  const stored = await askJson<{ object_id: string; object_url: string }>('/upload/', {
    method: 'POST',
    body,
  });
  return { object_id: stored.object_id, path: new URL(stored.object_url).pathname };
}

async function step(what: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await work();
  console.log(`  ${what}: ${Math.round(performance.now() - startedAt)} ms`);
}

const file = await picture(640, 480);
let stored: Awaited<ReturnType<typeof upload>>;

await step('a picture, uploaded through the front, is on every node', async () => {
  stored = await upload(file, 'picture.jpg');
  for (const node of nodes) {
    const answer = await ask(node, `${stored.path}original`);
    assert.deepEqual([answer.status, Buffer.from(await answer.arrayBuffer())], [200, file]);
  }
});

await step('a variant is the same from every node', async () => {
  const tags = await Promise.all(
    nodes.map(async (node) => {
      const answer = await ask(node, `${stored.path}w-200.webp`);
      assert.equal(answer.status, 200);
      await answer.arrayBuffer();
      return answer.headers.get('etag');
    }),
  );
  assert.equal(new Set(tags).size, 1);
});

await step('search says that it is switched off', async () => {
  const answer = await ask(front, '/get/search?q=boat');
  assert.equal(answer.status, 403);
  assert.deepEqual(Object.keys((await answer.json()) as object), ['error']);
});

await step('a film becomes playable by the worker, and plays from every node', async () => {
  const film = await upload(makeFilm({ container: 'avi', seconds: 3, width: 320, height: 180 }), 'film.avi');
  const details = await eventually(async () => {
    const found = await askJson<{ status: string; video_url: string }>(`/get/${film.object_id}`);
    assert.equal(found.status, 'ready', JSON.stringify(found));
    return found;
  }, filmMs);
  const { pathname } = new URL(details.video_url);
  for (const node of nodes) {
    const master = await (await ask(node, pathname)).text();
    const rung = /^[^#].*$/m.exec(master)?.[0] ?? '';
    const playlist = await ask(node, new URL(rung, `http://x${pathname}`).pathname);
    assert.match(await playlist.text(), /#EXTINF/);
  }
});

await step('an upload can be resumed, where this build knows how', async () => {
  const options = await ask(front, '/upload/resumable/', { method: 'OPTIONS' });
  await options.arrayBuffer();
  console.log(`    Tus-Version: ${options.headers.get('tus-version') ?? 'none (not tried)'}`);
});

await step('what was deleted is gone from every node within a second', async () => {
  await askJson(`/delete/${stored.object_id}`, { method: 'DELETE' });
  await eventually(async () => {
    for (const node of nodes)
      for (const name of ['original', 'w-200.webp']) {
        const answer = await ask(node, stored.path + name);
        await answer.arrayBuffer();
        assert.equal(answer.status, 404, `${node} still has ${name}`);
      }
  }, 1000);
});
