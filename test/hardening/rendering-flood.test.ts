// More renderings asked for than can be made: refusals come at once and cost nothing, hits and health stay quick, and no
// original gets more files than its bound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newAccount } from '../support/accounts.ts';
import { assertErrorShape } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { counter, generationOf, get, type Got, plain, prepared, variantFiles } from '../support/variants.ts';

const connections = 50;

function assertRefusal({ status, headers, bytes }: Got): void {
  assertErrorShape({ status, headers, body: JSON.parse(bytes.toString()) });
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

const middleOf = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] as number;

for (const places of [0, 1])
  test(`with ${places} places to wait, the rest is 503 at once, and gets its budget back`, async () => {
    await using server = await startServer({ IMAGE_QUEUE: String(places), IMAGE_WORKERS: '1' });
    const { api_key: key } = await newAccount(server, { tier: 'free', variants_per_minute: 1.2 });
    const { body } = await server.upload(await picture(1100, 1100, 'jpeg'), { object: 'busy' }, { key });
    await prepared(server);
    await get(server, `${body.object_url}w-9.webp`);
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, index) => get(server, `${body.object_url}w-${900 + index}.webp`)),
    );
    const refused = asked.filter(({ status }) => status === 503);
    assert.equal(asked.filter(({ status }) => status === 200).length, 1 + places);
    assert.equal(refused.length, 7 - places);
    for (const answer of refused) assertRefusal(answer);
    const done = Math.max(...asked.map(({ ms }) => ms));
    assert.ok(Math.max(...refused.map(({ ms }) => ms)) < done, 'nobody waits to be refused');
    assert.equal((await get(server, `${body.object_url}w-9.webp`)).status, 200);
    // A budget of twenty, half for one client: as many are left as were not made.
    let count = 0;
    while ((await get(server, `${body.object_url}w-${20 + count}.png`)).status === 200) count += 1;
    assert.equal(count, 10 - 1 - (1 + places));
  });

async function flood(server: TestServer, url: string, count: number): Promise<Got[]> {
  const answers: Got[] = [];
  let next = 1;
  const connection = async (): Promise<void> => {
    while (next <= count) answers.push(await get(server, `${url}w-${next++}.webp`));
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return answers;
}

test('w-1 to w-2000 from fifty connections against the budget of a free account', async () => {
  await using server = await startServer({ IMAGE_QUEUE: '20' });
  const { api_key: key } = await newAccount(server, { tier: 'free', variants_per_minute: 6 });
  const { body } = await server.upload(await plain(40, 30, [9, 99, 9]), { object: 'target' }, { key });
  await prepared(server);
  const generation = await generationOf(server, 'target');
  const hot = `${body.object_url}h-200_w-200.webp`;
  let done = false;
  const beside: { hits: number[]; health: number[] } = { hits: [], health: [] };
  const watch = (async () => {
    while (!done) {
      const hit = await get(server, hot);
      const health = await get(server, '/health/live');
      assert.deepEqual([hit.status, health.status], [200, 200]);
      beside.hits.push(hit.ms);
      beside.health.push(health.ms);
    }
  })();
  const answers = await flood(server, body.object_url, 2000);
  done = true;
  await watch;
  const ofStatus = (status: number) => answers.filter((answer) => answer.status === status);
  assert.equal(ofStatus(200).length + ofStatus(429).length + ofStatus(503).length, 2000);
  // One client has half of a hundred, and a little of the refill.
  assert.ok(ofStatus(200).length >= 45 && ofStatus(200).length <= 60, String(ofStatus(200).length));
  for (const answer of [...ofStatus(429), ...ofStatus(503)]) assertRefusal(answer);
  assert.ok((await variantFiles(server, 'cache', generation)).length <= ofStatus(200).length + 1);
  // Fifty clients in this same process share its time with the server: what one of them waits is fifty requests long.
  assert.ok(middleOf(ofStatus(429).map(({ ms }) => ms)) <= 250);
  assert.ok(
    middleOf(beside.hits) <= 250 && middleOf(beside.health) <= 250,
    JSON.stringify(beside.health.slice(0, 9)),
  );
  assert.equal(await counter(server, 'tintype_image_worker_crashes'), 0);
});

test(
  'an account without limits gets no more files for one original than the bound',
  { skip: !process.env['LONG_TESTS'] && 'set LONG_TESTS=1 to run it (a minute)' },
  async () => {
    await using server = await startServer({ IMAGE_QUEUE: '100' });
    const { body } = await server.upload(await plain(4, 3, [9, 99, 9]), { object: 'target' });
    const generation = await generationOf(server, 'target');
    const answers = await flood(server, body.object_url, 2000);
    assert.ok(answers.every(({ status }) => [200, 503].includes(status)));
    assert.ok((await variantFiles(server, 'cache', generation)).length <= 1000);
  },
);
