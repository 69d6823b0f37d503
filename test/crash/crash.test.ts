// Kills the real service again and again while clients use it, and proves that nothing acknowledged is ever lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failpoints } from './plan.ts';
import { runRounds } from './run-rounds.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 50);

test(`nothing acknowledged is lost in ${rounds} kills, and the service comes back clean`, async () => {
  const { reached, orphanedWorkers, acknowledged } = await runRounds(rounds);
  assert.ok(acknowledged > rounds, 'the clients hardly changed anything');
  if (rounds < 2 * failpoints.length) return;
  assert.deepEqual([...reached].sort(), [...failpoints].sort(), 'a failpoint was never reached');
  assert.ok(orphanedWorkers > 0, 'no image worker ever outlived its server, so none was seen to end');
});
