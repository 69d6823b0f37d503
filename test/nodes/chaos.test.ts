// Nodes under load that are killed at any moment: what one acknowledged, all of them hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithoutServer } from './nodes.ts';
import { runNodeKills } from './run-node-kills.ts';

const kills = Number(process.env['NODE_KILLS'] ?? 30);

test(
  `nothing acknowledged is lost in ${kills} kills of nodes`,
  { skip: skipWithoutServer, timeout: 300_000 + kills * 20_000 },
  async () => {
    const { acknowledged } = await runNodeKills(kills);
    assert.ok(acknowledged > kills, 'the clients hardly changed anything');
  },
);
