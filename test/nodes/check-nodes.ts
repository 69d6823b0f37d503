// Everything every node says, against the model of what was acknowledged, and what lies behind: jobs, originals, manifests.
import assert from 'node:assert/strict';
import { checkDisk } from '../crash/checks/check-disk.ts';
import { checkService } from '../crash/checks/check-service.ts';
import { settle } from '../crash/checks/settle.ts';
import type { Model } from '../crash/model.ts';
import { eventually } from '../support/eventually.ts';
import type { Nodes } from './nodes.ts';
import type { TintypeNode } from './tintype-node.ts';

/** What waits by its nature: the daily sweep, and what is tidied up some time after a film is done. */
const ofTheFuture = ['sweep-orphans', 'tidy-film'];
/** A job that was there at several deaths is tried again later and later. */
const drainMs = 120_000;

/** All nodes must run. */
export async function checkNodes(nodes: Nodes, model: Model): Promise<void> {
  const [first] = nodes.all as [TintypeNode];
  await settle(first.api, model);
  for (const { api } of nodes.all) await checkService(api, model);
  await jobsDone(nodes);
  if (nodes.hasLocalFiles) await checkDisk(first.api, model, nodes.folder);
}

async function jobsDone(nodes: Nodes): Promise<void> {
  const left = 'select kind, key, attempts, dead, last_error from jobs where kind <> all($1)';
  await eventually(async () => assert.deepEqual(await nodes.query(left, [ofTheFuture]), []), drainMs);
}
