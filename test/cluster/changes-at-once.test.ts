// What one process of a service changed holds in all of them before the answer: nobody sees the old state afterwards.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Clustered } from '../support/clustered.ts';
import { picture } from '../support/pictures.ts';

const looks = 50;
let service: Clustered;
let file: Buffer;
before(async () => {
  service = await Clustered.start();
  file = await picture(120, 90);
});
after(() => service.end());

/** On connections of their own, so that every process is among those that answer. */
async function statusesOf(path: string, count = looks): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => service.get(path)));
  return [...new Set(answers.map(({ status }) => status))];
}

test('a deleted object is gone from every process, however hot it was', async () => {
  for (let round = 0; round < 20; round++) {
    const path = await service.upload(file, `deleted-${round}`);
    // Twice: the first look puts it into the memory of its process, the second is answered from there.
    for (const variant of ['original', 'w-60.webp', 'w-60.webp'])
      assert.deepEqual(await statusesOf(path + variant, 30), [200]);
    await service.call('DELETE', `/delete/deleted-${round}/`);
    assert.deepEqual(await statusesOf(`${path}w-60.webp`), [404], `round ${round}`);
    assert.deepEqual(await statusesOf(`${path}original`), [404], `round ${round}`);
  }
});

test('a changed preset holds in every process at once', async () => {
  const path = await service.upload(file, 'preset');
  for (let round = 0; round < 10; round++) {
    const tokens = `w-${20 + round}`;
    await service.call('PATCH', '/user/', { presets: { card: tokens } });
    const wanted = await service.get(`${path}${tokens}.webp`);
    const answers = await Promise.all(
      Array.from({ length: looks }, () => service.get(`${path}preset-card.webp`)),
    );
    const different = new Set(answers.map(({ status, bytes }) => `${status} ${bytes.toString('base64')}`));
    assert.deepEqual([...different], [`200 ${wanted.bytes.toString('base64')}`], `round ${round}`);
  }
});

test('the files of a disabled account are gone from every process at once, and back when it is enabled', async () => {
  const account = await service.call('POST', '/accounts/', { email: 'off@example.com' });
  const path = await service.upload(file, 'switched', account.api_key);
  for (let round = 0; round < 5; round++) {
    assert.deepEqual(await statusesOf(`${path}original`), [200]);
    await service.call('PATCH', `/accounts/${account.account_id}/`, { enabled: false });
    assert.deepEqual(await statusesOf(`${path}original`), [404]);
    await service.call('PATCH', `/accounts/${account.account_id}/`, { enabled: true });
  }
});

test('a process that does not answer holds nobody up for long, and has forgotten when it comes back', async () => {
  const paths = await Promise.all(
    Array.from({ length: 8 }, (_, index) => service.upload(file, `held-${index}`)),
  );
  for (const path of paths) assert.deepEqual(await statusesOf(`${path}original`, 20), [200]);
  const [stopped = 0] = service.httpProcesses();
  process.kill(stopped, 'SIGSTOP');
  const began = Date.now();
  // Some may be given to the process that stands still; those are answered when it goes on.
  const deletions = paths.map((_, index) => service.call('DELETE', `/delete/held-${index}/`));
  try {
    await Promise.any(deletions);
    assert.ok(Date.now() - began < 3000, `${Date.now() - began} ms`);
  } finally {
    process.kill(stopped, 'SIGCONT');
  }
  await Promise.all(deletions);
  for (const path of paths) assert.deepEqual(await statusesOf(`${path}original`), [404]);
});
