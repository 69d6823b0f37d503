import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { AppError } from '../errors.ts';
import { createLog } from '../log.ts';
import { connectCalls } from './call-channel.ts';
import { SharedTurns } from './shared-turns.ts';

type Doubling = { double(value: number): number; refuse(): void; break(): void; never(): Promise<void> };

/** Two ends of one channel, which sends as JSON and later, as a real one does. */
function channel(): [Worker, Worker & { disconnect(): void }] {
  const ends = [new EventEmitter(), new EventEmitter()] as const;
  let connected = true;
  ends.forEach((end, index) =>
    Object.assign(end, {
      isConnected: () => connected,
      send: (message: object) => {
        const text = JSON.stringify(message);
        setImmediate(() => ends[1 - index]?.emit('message', JSON.parse(text)));
      },
      disconnect: () => {
        connected = false;
        for (const each of ends) each.emit('disconnect');
      },
    }),
  );
  return ends as unknown as [Worker, Worker & { disconnect(): void }];
}

function connected() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const [here, there] = channel();
  const answers: Doubling = {
    double: (value) => value * 2,
    refuse: () => {
      throw new AppError('rate_limited', 'Slowly', { headers: { 'Retry-After': '7' } });
    },
    break: () => {
      throw new Error('the inside of the service');
    },
    never: () => new Promise(() => undefined),
  };
  connectCalls(there, answers, log);
  return { ask: connectCalls<Doubling>(here, {}, log), lines, here, disconnect: () => there.disconnect() };
}

describe('calls between processes', () => {
  test('many at once are answered each with its own', async () => {
    const { ask } = connected();
    const doubled = await Promise.all([1, 2, 3].map((value) => ask('double', value)));
    assert.deepEqual(doubled, [2, 4, 6]);
  });

  test('an error for the client travels whole', async () => {
    const { ask, lines } = connected();
    const expected = {
      code: 'rate_limited',
      status: 429,
      message: 'Slowly',
      headers: { 'Retry-After': '7' },
    };
    await assert.rejects(
      ask('refuse'),
      (error) => error instanceof AppError && !!assertMatches(error, expected),
    );
    assert.deepEqual(lines, []);
  });

  test('the text of any other stays in the log', async () => {
    const { ask, lines } = connected();
    await assert.rejects(ask('break'), (error: Error) => !/inside/.test(error.message + error.stack));
    await assert.rejects(ask('break'), { code: 'internal' });
    assert.match(lines.join(''), /the inside of the service/);
  });

  test('a call whose other end goes, or is gone, fails', async () => {
    const { ask, disconnect } = connected();
    const waiting = assert.rejects(ask('never'), { code: 'shutting_down' });
    disconnect();
    await waiting;
    await assert.rejects(ask('double', 1), { code: 'shutting_down' });
  });

  test('messages of others are ignored', async () => {
    const { ask, here } = connected();
    for (const message of [null, 'word', { 'watch:require': ['a'] }, { answerTo: 99 }])
      here.emit('message', message);
    assert.equal(await ask('double', 4), 8);
  });
});

function assertMatches(error: AppError, expected: object): true {
  const { code, status, message, headers } = error;
  assert.deepEqual({ code, status, message, headers }, expected);
  return true;
}

describe('turns shared with other processes', () => {
  test('the turn of a process that ended is over, and it gets none it still waited for', async () => {
    const turns = new SharedTurns();
    const holder = turns.forProcess();
    const waiter = turns.forProcess();
    await holder.answers.takeTurn();
    void waiter.answers.takeTurn();
    const mine = turns.take();
    holder.ended();
    waiter.ended();
    (await mine)();
  });
});
