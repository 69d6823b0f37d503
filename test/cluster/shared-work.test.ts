// What a service must do once, count once or add up, with three processes that answer its requests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Clustered, isAlive } from '../support/clustered.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { pngHeaderOnly } from '../support/png-and-gif-builders.ts';

let service: Clustered;
before(async () => {
  service = await Clustered.start({ TRUST_PROXY: 'on' });
});
after(() => service.end());

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('300 requests at once for 10 variants are 10 renderings, and all get the same bytes', async () => {
  const path = await service.upload(await picture(900, 700), 'many');
  await service.jobsDone();
  const before = await service.metric('tintype_renderings');
  const answers = await times(300, (index) => service.get(`${path}w-${100 + (index % 10)}.webp`));
  assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: 300 });
  assert.equal((await service.metric('tintype_renderings')) - before, 10);
  const different = new Set(answers.map(({ bytes }) => bytes.toString('base64')));
  assert.equal(different.size, 10);
});

test('the budget of variants holds over all processes, to the last one', async () => {
  const account = await service.call('POST', '/accounts/', {
    email: 'budget@example.com',
    variants_per_minute: 1,
  });
  const path = await service.upload(await picture(400, 300), 'budget', account.api_key);
  await service.jobsDone();
  const answers = await times(60, (index) =>
    service.get(`${path}w-${50 + index}.webp`, { headers: { 'X-Forwarded-For': `192.0.2.${index}` } }),
  );
  const refused = answers.find(({ status }) => status === 429);
  const burst = Number(/q=(\d+)/.exec(String(refused?.headers['ratelimit-policy']))?.[1]);
  assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: burst, 429: 60 - burst });
  assert.ok(Number(refused?.headers['retry-after']) >= 1);
  assert.deepEqual(JSON.parse(String(refused?.bytes)), { error: 'Rate limit exceeded' });
});

test('the limit of API requests holds over all processes, to the last one', async () => {
  const { api_key: key } = await service.call('POST', '/accounts/', {
    email: 'rate@example.com',
    rate_limit_per_minute: 20,
  });
  const headers = { Authorization: `Bearer ${key}` };
  const answers = await times(90, () => service.get('/get/', { headers }));
  assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: 20, 429: 70 });
  const left = answers
    .filter(({ status }) => status === 200)
    .map((each) => each.headers['ratelimit-remaining']);
  assert.deepEqual(
    left.map(Number).toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index),
  );
});

test('what is refused is refused as in one process', async () => {
  const path = await service.upload(await picture(300, 200), 'refused');
  const damaged = await service.upload(pngHeaderOnly(500, 400, { depth: 8, colourType: 2 }), 'damaged');
  const codes = await Promise.all(
    [
      `${path}w-0.webp`,
      `${path}nonsense-1.webp`,
      `${path.replace('refused', 'absent')}w-10.webp`,
      `${damaged}w-200.png`,
    ].map(async (address) => {
      const { status, headers } = await service.get(address);
      return [status, headers['x-error-code']];
    }),
  );
  assert.deepEqual(codes, [
    [400, 'invalid_transformation'],
    [400, 'invalid_transformation'],
    [404, 'object_not_found'],
    [422, 'undecodable'],
  ]);
});

test('uploads at once over all processes: none fails, and each is listed', async () => {
  const { api_key: key } = await service.call('POST', '/accounts/', { email: 'up@example.com', tier: 'pro' });
  const file = await picture(64, 64);
  const began = performance.now();
  await times(400, (index) => service.upload(file, `object-${index}`, key));
  console.log(`400 uploads in ${Math.round(performance.now() - began)} ms`);
  const listed = await service.get('/get/', { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(listed.headers['x-total-count'], '400');
});

test('metrics add up over all processes, and do not go back when one ends', async () => {
  const line = 'tintype_request_seconds_count{method="GET",route="/health/live",status="200"}';
  const before = await service.metric(line);
  await times(60, () => service.get('/health/live'));
  // A request is counted a moment after its answer.
  await eventually(async () => assert.equal((await service.metric(line)) - before, 60));
  const [victim = 0] = service.httpProcesses();
  process.kill(victim, 'SIGKILL');
  await eventually(() => assert.ok(!isAlive(victim)));
  for (let look = 0; look < 20; look++) {
    // A connection that was on its way to the one that died is reset.
    const counted = await eventually(() => service.metric(line));
    assert.equal(counted - before, 60);
  }
});
