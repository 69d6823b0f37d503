import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithoutStrace } from '../strace.ts';
import { runPowerLosses } from './power-losses.ts';

const losses = Number(process.env['POWER_LOSSES'] ?? 6);

test(
  'the power fails again and again: nothing acknowledged is lost',
  { skip: skipWithoutStrace, timeout: 60_000 + losses * 30_000 },
  async (t) => {
    const { acknowledged, unsynced } = await runPowerLosses(losses);
    t.diagnostic(`${acknowledged} acknowledged, ${unsynced} changes had not been synced`);
    assert.ok(acknowledged > 0 && unsynced > 0, 'there was something to lose');
  },
);
