import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pulse } from './pulse.ts';
import { NoAnswer } from './s3-errors.ts';

const quick = { silenceMs: 100, signWithinMs: 100, restMs: 200 };
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  );

const block = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('a call goes on as long as there are signs of life', async () => {
  let signs = 0;
  const pulse = new Pulse({ ...quick, askForSign: async () => void (signs += 1) });
  const value = await pulse.watch(async () => {
    while (signs < 3) await sleep(10);
    return 'late';
  });
  assert.equal(value, 'late');
  pulse.assertThere();
});

test('without a sign all that wait give up, and for a moment so do new ones', async () => {
  const pulse = new Pulse({ ...quick, askForSign: untilAborted });
  const calls = [pulse.watch(untilAborted), pulse.watch(untilAborted)];
  for (const call of calls) await assert.rejects(call, NoAnswer);
  assert.throws(() => pulse.assertThere(), NoAnswer);
  await sleep(quick.restMs + 50);
  pulse.assertThere();
});

test('a call that outlasts all patience is ended although the server lives', async () => {
  const pulse = new Pulse({ ...quick, patienceMs: 200, askForSign: async () => undefined });
  await assert.rejects(pulse.watch(untilAborted), NoAnswer);
  pulse.assertThere();
});

test('a process that is busy itself does not blame the server', async () => {
  let signs = 0;
  const pulse = new Pulse({
    ...quick,
    signWithinMs: 200,
    async askForSign(signal) {
      block(800);
      await Promise.race([new Promise(setImmediate), untilAborted(signal)]);
      signs += 1;
    },
  });
  const call = pulse.watch(async (signal) => {
    while (signs === 0) await Promise.race([sleep(10), untilAborted(signal)]);
    return 'here';
  });
  assert.equal(await call, 'here');
});

test('a process that is always a little late notices in time all the same', async () => {
  const pulse = new Pulse({ askForSign: untilAborted });
  const late = setInterval(() => block(95), 1);
  const begun = performance.now();
  await assert.rejects(pulse.watch(untilAborted), NoAnswer);
  const took = performance.now() - begun;
  clearInterval(late);
  assert.ok(took < 2000, `${took} ms`);
});

test('the faults of a call are its own', async () => {
  const pulse = new Pulse({ ...quick, askForSign: async () => undefined });
  await assert.rejects(
    pulse.watch(async () => {
      throw new RangeError('mine');
    }),
    RangeError,
  );
  pulse.assertThere();
});
