// What every provider whose streams are made elsewhere must do, tried against a stand-in of its service.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FilmFault, type VideoProvider } from '../../src/videos/provider.ts';
import { type FilmAtProvider, filmAtProvider } from '../support/film-at-provider.ts';
import { masterRenditions, type ServedProvider } from '../support/provider-stand-in.ts';
import { standIn, type StandIn } from '../support/stand-in.ts';

export type ServiceStandIn = {
  title: string;
  served: ServedProvider;
  provider: VideoProvider;
  /** With credentials that are not theirs. */
  stranger: VideoProvider;
  secret: string;
  /** As it stands in `seen`. */
  creation: string;
  idOf: (generation: string) => string;
  urlOf: (generation: string) => string;
  count: () => number;
  fetchOriginal: (generation: string) => Promise<void>;
  working: (generation: string, percent: number) => void;
  finish: (generation: string) => void;
  fail: (generation: string, reason: string) => void;
  /** Somebody deletes it there. */
  lose: (generation: string) => void;
};

const hour = 3600_000;

export function providerElsewhereContract(name: string, start: () => Promise<ServiceStandIn>): void {
  describe(`${name}: a provider elsewhere`, () => {
    let service: ServiceStandIn;
    let origin: StandIn;
    let at: FilmAtProvider;
    const generation = (): string => at.film.generation;
    const creations = (): number => service.served.seen.filter((line) => line === service.creation).length;
    const fault = (message: string) => (error: unknown) => {
      assert.ok(error instanceof FilmFault, String(error));
      assert.equal(error.message, message);
      return true;
    };
    const trouble = (message: RegExp) => (error: Error) => {
      assert.ok(!(error instanceof FilmFault), 'the film was blamed');
      assert.match(error.message, message);
      assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes(service.secret));
      return true;
    };

    beforeEach(async () => {
      [service, origin] = await Promise.all([start(), standIn()]);
      at = filmAtProvider(`${origin.url}/files/bucket/vid-film/original`);
    });
    afterEach(async () => {
      await Promise.all([service.served[Symbol.asyncDispose](), origin[Symbol.asyncDispose]()]);
    });

    test('the whole life of a film', async () => {
      assert.deepEqual(await at.work(service.provider), { kind: 'waiting', afterMs: 2000 });
      assert.equal(at.assetId(), service.idOf(generation()));
      await service.fetchOriginal(generation());
      assert.equal(origin.seen.at(-1)?.line, 'GET /files/bucket/vid-film/original');

      service.working(generation(), 40);
      const looked = await at.work(service.provider);
      assert.equal(looked.kind, 'waiting');
      assert.equal(at.percents.at(-1), 40);
      assert.deepEqual(at.published, []);

      service.finish(generation());
      assert.deepEqual(await at.work(service.provider), {
        kind: 'ready',
        stream: { kind: 'elsewhere', url: service.urlOf(generation()), renditions: masterRenditions },
      });
      assert.equal(creations(), 1);
    });

    test('a kill between their answer and our note makes no second asset', async () => {
      const killed = () => Promise.reject(new Error('killed'));
      await assert.rejects(at.work(service.provider, { remember: killed }), /killed/);
      assert.equal(service.count(), 1);
      assert.equal(at.state, null);
      const first = service.idOf(generation());
      await at.work(service.provider);
      assert.equal(at.assetId(), first);
      assert.equal(creations(), 1);
    });

    for (const [what, status] of [
      ['500', 500],
      ['a cut connection', -1],
    ] as const)
      test(`${what} instead of their answer to a creation makes no second asset`, async () => {
        service.served.faults.push({ status, afterwards: true, to: 'POST' });
        await assert.rejects(at.work(service.provider), trouble(/answered 500|did not answer/));
        await at.work(service.provider);
        assert.deepEqual([creations(), service.count()], [1, 1]);
      });

    test('two films at once are two assets', async () => {
      const other = filmAtProvider(at.film.originalUrl);
      await Promise.all([at.work(service.provider), other.work(service.provider)]);
      assert.equal(service.count(), 2);
      assert.notEqual(service.idOf(generation()), service.idOf(other.film.generation));
    });

    test('too many calls are waited out, at the beginning and later', async () => {
      service.served.faults.push({ status: 429, headers: { 'Retry-After': '7' } });
      assert.deepEqual(await at.work(service.provider), { kind: 'waiting', afterMs: 7000 });
      service.served.faults.push({ status: 429, to: 'POST' });
      assert.deepEqual(await at.work(service.provider), { kind: 'waiting', afterMs: 30_000 });
      assert.equal(at.state, null);
      await at.work(service.provider);
      for (const [retryAfter, afterMs] of [
        ['0', 2000],
        ['99999', 600_000],
        ['Wed, 21 Oct 2065 07:28:00 GMT', 30_000],
      ] as const) {
        service.served.faults.push({ status: 429, headers: { 'Retry-After': retryAfter } });
        assert.deepEqual(await at.work(service.provider), { kind: 'waiting', afterMs });
      }
      service.finish(generation());
      assert.equal((await at.work(service.provider)).kind, 'ready');
      assert.equal(service.count(), 1);
    });

    test('what goes wrong there is tried again by the job, once per attempt, and never blamed on the film', async () => {
      await at.work(service.provider);
      const state = at.state;
      for (const status of [500, 502, 503, 401, 403, -1]) {
        const before = service.served.seen.length;
        service.served.faults.push({ status });
        await assert.rejects(
          at.work(service.provider),
          trouble(status === -1 ? /did not answer$/ : / answered \d{3}$/),
        );
        assert.equal(service.served.seen.length, before + 1);
      }
      for (const body of [
        '',
        'null',
        '[]',
        '"x"',
        '{}',
        '{"data":null,"result":null}',
        '<html>',
        '{"data":{"id":7}}',
      ]) {
        service.served.faults.push({ status: 200, body, headers: { 'Content-Type': 'application/json' } });
        await assert.rejects(
          at.work(service.provider),
          trouble(/answered something else|did not answer/),
          body,
        );
      }
      assert.deepEqual(at.state, state);
      service.finish(generation());
      assert.equal((await at.work(service.provider)).kind, 'ready');
    });

    test('one that never answers is left when the job is told to stop', async () => {
      await at.work(service.provider);
      service.served.faults.push({ status: 0 });
      await assert.rejects(
        at.work(service.provider, { signal: AbortSignal.timeout(100) }),
        trouble(/did not answer$/),
      );
    });

    test('a film they cannot read is at fault, in their words but without addresses', async () => {
      await at.work(service.provider);
      service.fail(generation(), `The file at ${at.film.originalUrl}\n is not\u0000 a video.`);
      await assert.rejects(
        at.work(service.provider),
        fault(`${service.title} could not make a stream of this film: The file at is not a video`),
      );
      service.fail(generation(), '');
      await assert.rejects(
        at.work(service.provider),
        fault(`${service.title} could not make a stream of this film`),
      );
    });

    test('what they do not accept is not sent again', async () => {
      at = filmAtProvider('not an address');
      await assert.rejects(at.work(service.provider), (error: unknown) => {
        assert.ok(error instanceof FilmFault);
        assert.match(error.message, new RegExp(`^${service.title} did not accept this film: .+`));
        return true;
      });
      assert.equal(service.count(), 0);
    });

    test('an original they could not fetch is asked for once more', async () => {
      await origin[Symbol.asyncDispose]();
      origin = await standIn([503]);
      at = filmAtProvider(`${origin.url}/original`);
      await at.work(service.provider);
      const first = service.idOf(generation());
      await service.fetchOriginal(generation());
      assert.deepEqual(await at.work(service.provider), { kind: 'waiting', afterMs: 2000 });
      assert.notEqual(service.idOf(generation()), first);
      assert.equal(service.count(), 1);
      await service.fetchOriginal(generation());
      await assert.rejects(
        at.work(service.provider),
        fault(`${service.title} could not fetch the film from this server`),
      );
    });

    test('an asset that got lost there is made again once, also when we are killed meanwhile', async () => {
      await at.work(service.provider);
      service.lose(generation());
      let remembered = 0;
      const killedLater = () =>
        ++remembered === 2 ? Promise.reject(new Error('killed')) : Promise.resolve();
      await assert.rejects(at.work(service.provider, { remember: killedLater }), /killed/);
      assert.deepEqual([service.count(), creations()], [1, 2]);
      await at.work(service.provider);
      assert.deepEqual([service.count(), creations()], [1, 2]);
      service.lose(generation());
      await assert.rejects(at.work(service.provider), fault(`${service.title} no longer has this film`));
      assert.equal(creations(), 2);
    });

    test('looks get rarer, from two seconds to a minute, and end after three days', async () => {
      await at.work(service.provider);
      const state = at.state as { askedAtMs: number };
      const waitAfter = async (elapsedMs: number): Promise<unknown> => {
        at.state = { ...state, askedAtMs: Date.now() - elapsedMs };
        const worked = await at.work(service.provider);
        return worked.kind === 'waiting' && Math.round(worked.afterMs / 1000);
      };
      assert.equal(await waitAfter(-hour), 2);
      assert.equal(await waitAfter(0), 2);
      assert.equal(await waitAfter(40_000), 10);
      assert.equal(await waitAfter(hour), 60);
      assert.equal(await waitAfter(2 * 24 * hour), 60);
      await assert.rejects(
        waitAfter(3 * 24 * hour + 1000),
        fault(`${service.title} did not finish this film within three days`),
      );
    });

    test('removal deletes it there, whether or not its id was remembered, and twice is fine', async () => {
      await at.work(service.provider);
      await service.provider.remove(at.film, at.state);
      assert.equal(service.count(), 0);
      await service.provider.remove(at.film, at.state);

      await at.work(service.provider);
      await service.provider.remove(at.film, null);
      assert.equal(service.count(), 0);
      await service.provider.remove(at.film, null);
    });

    test('a removal that failed is told, so that the job tries again', async () => {
      await at.work(service.provider);
      service.served.faults.push({ status: 500, to: 'DELETE' });
      await assert.rejects(service.provider.remove(at.film, at.state), trouble(/answered 500$/));
      await service.provider.remove(at.film, at.state);
      assert.equal(service.count(), 0);
    });

    test('wrong credentials are our fault, not the film’s, and are not repeated in the error', async () => {
      await assert.rejects(at.work(service.stranger), trouble(/answered 401$/));
      assert.equal(service.count(), 0);
    });

    test('a stream whose playlist cannot be read is ready all the same', async () => {
      await at.work(service.provider);
      service.finish(generation());
      for (const fault of [{ status: 404 }, { status: -1 }, { status: 200, body: 'x'.repeat(300_000) }]) {
        service.served.faults.push({ ...fault, to: '.m3u8' });
        assert.deepEqual(await at.work(service.provider), {
          kind: 'ready',
          stream: { kind: 'elsewhere', url: service.urlOf(generation()), renditions: [] },
        });
      }
    });
  });
}
