// Kills nodes at random, again and again, while clients use all of them: nothing acknowledged is lost, no event, no film, and
// each node is ready again soon after its restart.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../crash/load/load.ts';
import { Model } from '../crash/model.ts';
import { UploadMaker } from '../crash/uploads.ts';
import { eventually } from '../support/eventually.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { startReceiver } from '../support/receivers.ts';
import { AnyNodeApi } from './any-node-api.ts';
import { checkNodes } from './check-nodes.ts';
import { Nodes } from './nodes.ts';
import { checkRepeats, checkSignatures, PromisedEvents } from './promised-events.ts';
import { WatchedFilms } from './watched-films.ts';
import type { TintypeNode } from './tintype-node.ts';

const nodeCount = 3;
const clients = 6;
/** Then everything is looked at, and the next batch begins. */
const killsInABatch = 10;
const filmsInABatch = 2;
/** The goal is 5 s; other processes may load the machine. */
const maxReadyMs = 20_000;

export type Kills = { kills: number; acknowledged: number; unanswered: number; readyMs: number[] };

export async function runNodeKills(count: number): Promise<Kills> {
  const seed = Number(process.env['TINTYPE_CRASH_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`${count} kills of ${nodeCount} nodes, TINTYPE_CRASH_SEED=${seed}`);
  const random = seededRandom(seed);
  await using ofPictures = await startReceiver();
  await using ofFilms = await startReceiver();
  await using nodes = await Nodes.start({ count: nodeCount });
  const [first] = nodes.all as [TintypeNode];
  const events = ['object.created', 'object.deleted'];
  const { secret } = await first.api.askJson<{ secret: string }>('/webhooks/', {
    method: 'POST',
    body: { url: ofPictures.url, events },
  });
  const wronglySigned = checkSignatures(ofPictures, secret);
  const films = await WatchedFilms.create(first.api, ofFilms);
  const promised = new PromisedEvents();
  const api = new AnyNodeApi(nodes.all, random, (...told) => promised.heard(...told));
  const filmApi = new AnyNodeApi(nodes.all, random);
  const model = new Model();
  const uploads = await UploadMaker.create(random);
  const done: Kills = { kills: 0, acknowledged: 0, unanswered: 0, readyMs: [] };
  while (done.kills < count) {
    const load = new Load({ api, model, random, uploads, faulty: true });
    const running = load.run(clients);
    const killing = killSome(nodes.all, Math.min(killsInABatch, count - done.kills), random, done);
    try {
      for (let index = 0; index < filmsInABatch; index++) await films.upload(filmApi);
      await Promise.race([killing, running]);
    } finally {
      load.stop();
    }
    await Promise.all([killing, running]);
    await checkNodes(nodes, model);
    done.acknowledged = model.acknowledged;
    done.unanswered = api.unanswered;
    console.log(describe(done, films.ids.length, promised.count));
  }
  await films.check(nodes.all, ofFilms);
  await eventually(() => promised.check(ofPictures), 60_000);
  checkRepeats(ofPictures);
  assert.deepEqual(wronglySigned, []);
  for (const node of nodes.all) assert.doesNotMatch(node.said, /"level":60/);
  return done;
}

async function killSome(
  nodes: readonly TintypeNode[],
  count: number,
  random: Random,
  done: Kills,
): Promise<void> {
  for (let kill = 0; kill < count; kill++) {
    await sleep(random.between(200, 1500));
    const victims = random.shuffle(nodes).slice(0, random.chance(0.2) ? 2 : 1);
    await Promise.all(victims.map((node) => node.kill()));
    await sleep(random.between(0, 800));
    for (const readyMs of await Promise.all(victims.map((node) => node.start()))) {
      assert.ok(readyMs < maxReadyMs, `ready only after ${readyMs} ms`);
      done.readyMs.push(readyMs);
    }
    done.kills += 1;
  }
}

function describe(
  { kills, acknowledged, unanswered, readyMs }: Kills,
  films: number,
  events: number,
): string {
  const times = readyMs.toSorted((left, right) => left - right).map(Math.round);
  return (
    `${kills} kills: ${acknowledged} writes acknowledged, ${unanswered} requests without an answer, ${films} films, ` +
    `${events} events promised, ready again after ${times[Math.floor(times.length / 2)]} ms (at most ${times.at(-1)} ms), lost 0`
  );
}
