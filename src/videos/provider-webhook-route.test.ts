import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Mux } from '@mux/mux-node';
import { assertError } from '../../test/support/assert-error.ts';
import { cloudflareWebhook } from '../../test/support/cloudflare-stand-in.ts';
import { muxWebhook } from '../../test/support/mux-stand-in.ts';
import { sign, type WebhookCall } from '../../test/support/provider-stand-in.ts';
import { newGeneration } from '../objects/object-keys.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { createLog } from '../platform/log.ts';
import { providerWebhookRoutes, type ProviderWebhookParts } from './provider-webhook-route.ts';

type Running = { url: string; woken: string[] } & AsyncDisposable;

const secrets = { mux: 'mux-webhook-secret', cloudflare: 'cloudflare-webhook-secret' };
const wrongSignature = 'The signature of this call is missing, wrong or too old';

async function running(parts: Partial<ProviderWebhookParts> = {}, logLines: string[] = []): Promise<Running> {
  const woken: string[] = [];
  const app = createHttpServer({ log: createLog('debug', { write: (line) => void logLines.push(line) }) });
  await providerWebhookRoutes(app, {
    secrets,
    wake: async (generation) => void woken.push(generation),
    ...parts,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    woken,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

async function refusal(answer: Response, status: number, code: string, message?: string): Promise<void> {
  const { headers } = answer;
  assertError({ status: answer.status, headers, body: await answer.json() }, status, {
    code,
    ...(message ? { message } : {}),
  });
}

for (const [name, webhook, header] of [
  ['mux', muxWebhook, 'Mux-Signature'],
  ['cloudflare', cloudflareWebhook, 'Webhook-Signature'],
] as const)
  describe(`webhooks from ${name}`, () => {
    let service: Running;
    let generation: string;
    const secret = secrets[name];
    const post = (call: WebhookCall, to = service.url): Promise<Response> =>
      fetch(`${to}/providers/${name}/webhook`, { method: 'POST', ...call });
    const refused = async (call: WebhookCall, why: string): Promise<void> => {
      await refusal(await post(call), 400, 'bad_request', wrongSignature).catch((error: Error) => {
        throw new Error(why, { cause: error });
      });
    };
    before(async () => {
      service = await running();
    });
    after(() => service[Symbol.asyncDispose]());
    beforeEach(() => {
      generation = newGeneration();
      service.woken.length = 0;
    });

    test('a signed one wakes its film', async () => {
      const answer = await post(webhook(generation, { secret }));
      assert.deepEqual([answer.status, await answer.json()], [200, {}]);
      assert.deepEqual(service.woken, [generation]);
    });

    test('every type of body is taken as the bytes it is', async () => {
      for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', '']) {
        const call = webhook(newGeneration(), { secret });
        const { 'Content-Type': _type, ...headers } = call.headers;
        // As bytes, for a string would be given a type.
        const answer = await fetch(`${service.url}/providers/${name}/webhook/`, {
          method: 'POST',
          body: Buffer.from(call.body),
          headers: type ? { ...headers, 'Content-Type': type } : headers,
        });
        assert.equal(answer.status, 200, type);
      }
      assert.equal(service.woken.length, 4);
    });

    test('another secret, a changed body or a changed time are refused', async () => {
      const good = webhook(generation, { secret });
      await refused(webhook(generation, { secret: `${secret}x` }), 'another secret');
      await refused({ ...good, body: `${good.body} ` }, 'a longer body');
      await refused({ ...good, body: good.body.replace(generation, newGeneration()) }, 'another generation');
      await refused({ ...good, body: '' }, 'no body');
      const signature = good.headers[header] as string;
      const changedTime = signature.replace(/\d{10}/, (time) => String(Number(time) + 1));
      await refused({ ...good, headers: { [header]: changedTime } }, 'another time');
      assert.deepEqual(service.woken, []);
    });

    test('headers that are none are refused', async () => {
      const good = webhook(generation, { secret });
      const signature = good.headers[header] as string;
      const [time, sum] = signature.split(',') as [string, string];
      for (const given of [
        '',
        time,
        sum,
        `${time},`,
        `${time},${sum.slice(0, -1)}`,
        `${time},${sum}0`,
        `${time},${time},${sum}`,
        `${time},${sum.split('=')[0]}=`,
        `${time}.0,${sum}`,
        `${time.replace('=', '=-')},${sum}`,
        `${time.replace('=', '=0x')},${sum}`,
        `v0=x,${sum}`,
        'x'.repeat(5000),
      ])
        await refused({ ...good, headers: { [header]: given } }, given);
      const { body } = good;
      await refused({ body, headers: { Authorization: `Bearer ${secret}` } }, 'another header');
      assert.deepEqual(service.woken, []);
    });

    test('one of several signatures is enough, as while a secret is changed', async () => {
      const { body, headers } = webhook(generation, { secret });
      const [time, sum = ''] = headers[header]?.split(',') ?? [];
      const other = sum.replace(/[0-9a-f]{64}/, '0'.repeat(64));
      assert.equal((await post({ body, headers: { [header]: `${time},${other},${sum}` } })).status, 200);
    });

    test('five minutes are tolerated either way, more are not', async () => {
      for (const secondsAgo of [290, -290])
        assert.equal((await post(webhook(generation, { secret, secondsAgo }))).status, 200);
      for (const secondsAgo of [310, 3600, -310, 1.7e9])
        await refused(webhook(generation, { secret, secondsAgo }), `${secondsAgo} s`);
      assert.equal(service.woken.length, 2);
    });

    test('the same call again is answered and wakes nobody', async () => {
      const call = webhook(generation, { secret });
      for (let time = 0; time < 3; time += 1) assert.equal((await post(call)).status, 200);
      assert.deepEqual(service.woken, [generation]);
    });

    test('a call whose film could not be woken is not counted as seen', async () => {
      let fails = true;
      const woken: string[] = [];
      await using troubled = await running({
        wake: async (given) => {
          if (fails) throw new Error('the database is away');
          woken.push(given);
        },
      });
      const call = webhook(generation, { secret });
      await refusal(await post(call, troubled.url), 500, 'internal');
      fails = false;
      assert.equal((await post(call, troubled.url)).status, 200);
      assert.deepEqual(woken, [generation]);
    });

    test('what is not about one of our films wakes nobody', async () => {
      for (const strange of ['', 'a b', '../x', 'x'.repeat(65), '<script>'])
        assert.equal((await post(webhook(strange, { secret }))).status, 200, strange);
      assert.deepEqual(service.woken, []);
    });

    test('256 KB are the most, announced or not', async () => {
      const body = Buffer.alloc(256 * 1024 + 1, ' ');
      const url = `${service.url}/providers/${name}/webhook`;
      await refusal(await fetch(url, { method: 'POST', body }), 413, 'body_too_large');
      const chunked = await new Promise<number | undefined>((resolve, reject) => {
        const sending = request(url, { method: 'POST' }, (answer) => resolve(answer.resume().statusCode));
        sending.on('error', reject);
        sending.write(body);
        sending.end();
      });
      assert.equal(chunked, 413);
      await refusal(await fetch(url, { method: 'POST', body: body.subarray(1) }), 400, 'bad_request');
    });

    test('without a secret the address does not exist', async () => {
      await using bare = await running({ secrets: {} });
      await refusal(await post(webhook(generation, { secret: '' }), bare.url), 404, 'not_found');
      await refusal(await post(webhook(generation, { secret: 'undefined' }), bare.url), 404, 'not_found');
      assert.deepEqual(bare.woken, []);
    });

    test('other methods are not for it', async () => {
      await refusal(await fetch(`${service.url}/providers/${name}/webhook`), 405, 'method_not_allowed');
    });
  });

describe('webhooks of providers', () => {
  test('one provider’s secret does not open the other’s address', async () => {
    await using service = await running({ secrets: { mux: secrets.mux } });
    const { url, woken } = service;
    const { body } = muxWebhook(newGeneration(), { secret: secrets.mux });
    const call = cloudflareWebhook(newGeneration(), { secret: secrets.mux });
    assert.equal(
      (await fetch(`${url}/providers/cloudflare/webhook`, { method: 'POST', ...call })).status,
      404,
    );
    assert.equal(
      (await fetch(`${url}/providers/mux/webhook`, { method: 'POST', ...call, body })).status,
      400,
    );
    assert.deepEqual(woken, []);
  });

  test('what is signed but no JSON object is answered without harm', async () => {
    await using service = await running();
    const { url, woken } = service;
    for (const [body, status] of [
      ['{', 400],
      ['', 400],
      ['null', 200],
      ['[]', 200],
      ['"x"', 200],
      ['{"type":"video.asset.ready"}', 200],
      ['{"type":"video.asset.ready","data":null}', 200],
      ['{"type":"video.upload.created","data":{"passthrough":"abc"}}', 200],
      ['{"type":7,"data":{"passthrough":"abc"}}', 200],
      ['{"type":"video.asset.ready","data":{"passthrough":{"toString":1}}}', 200],
    ] as const) {
      const { time, signature } = sign(body, { secret: secrets.mux });
      const headers = { 'Mux-Signature': `t=${time},v1=${signature}` };
      const answer = await fetch(`${url}/providers/mux/webhook`, { method: 'POST', body, headers });
      assert.equal(answer.status, status, body);
    }
    assert.deepEqual(woken, []);
  });

  test('the stand-in signs as Mux’s own package expects it', async () => {
    const mux = new Mux({ tokenId: 'id', tokenSecret: 'secret', webhookSecret: secrets.mux });
    const { body, headers } = muxWebhook('abc', { secret: secrets.mux });
    await mux.webhooks.verifySignature(body, new Headers(headers));
    await assert.rejects(mux.webhooks.verifySignature(`${body} `, new Headers(headers)));
    const old = muxWebhook('abc', { secret: secrets.mux, secondsAgo: 310 });
    await assert.rejects(mux.webhooks.verifySignature(old.body, new Headers(old.headers)), /too old/);
  });

  test('neither secrets nor signatures get into the log', async () => {
    const logLines: string[] = [];
    const service = await running({}, logLines);
    const call = muxWebhook(newGeneration(), { secret: secrets.mux });
    await fetch(`${service.url}/providers/mux/webhook`, { method: 'POST', ...call });
    await service[Symbol.asyncDispose]();
    const log = logLines.join('\n');
    assert.match(log, /providers\/mux\/webhook/);
    for (const word of [secrets.mux, call.headers['Mux-Signature'] as string]) assert.ok(!log.includes(word));
  });
});
