// What is changed on one node holds on the others within a second, also when their line to the database was just cut.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from '../crash/api.ts';
import { picture } from '../support/pictures.ts';
import { Nodes, skipWithoutServer } from './nodes.ts';
import type { TintypeNode } from './tintype-node.ts';

const withinMs = 1000;
type Account = { account_id: string; api_key: string; bucket_id: string };

for (const processes of [1, 2])
  describe(
    `a change made on another node, each with ${processes} processes`,
    { skip: skipWithoutServer },
    () => {
      let nodes: Nodes;
      let here: TintypeNode;
      let there: TintypeNode;
      let file: Buffer;
      before(async () => {
        nodes = await Nodes.start({ count: 2, environment: { WEB_CONCURRENCY: String(processes) } });
        [here, there] = nodes.all as [TintypeNode, TintypeNode];
        file = await picture(60, 40);
      });
      after(() => nodes[Symbol.asyncDispose]());

      for (const cut of [false, true]) {
        const after = cut ? ', right after its lines were cut' : '';
        /** Changes on one node, then waits until all processes of the other answer as they should. */
        const measure = async (
          what: string,
          change: () => Promise<unknown>,
          look: () => Promise<boolean>,
        ) => {
          await repeated(look, false);
          if (cut) await cutLines(nodes);
          await change();
          const changedAt = performance.now();
          let lastOldMs = 0;
          // Over every process: a second without an old answer.
          while (performance.now() - changedAt < withinMs + 500) {
            if (!(await look())) lastOldMs = performance.now() - changedAt;
            await sleep(5);
          }
          console.log(`${what}${after}, ${processes} processes: old until ${Math.round(lastOldMs)} ms`);
          assert.ok(lastOldMs < withinMs, `${what}: still old after ${lastOldMs} ms`);
        };

        test(`a deletion${after}`, async () => {
          const { bucket_id: bucket } = await here.api.askJson<Account>('/user/');
          await uploadTo(here, 'leaving', file);
          const address = `/files/${bucket}/leaving/original`;
          await measure(
            'a deletion',
            () => here.api.ask('/delete/leaving', { method: 'DELETE' }),
            () => statusIs(there, address, 404),
          );
        });

        test(`a revoked key${after}`, async () => {
          const made = await here.api.askJson<{ key_id: string; api_key: string }>('/keys/', {
            method: 'POST',
            body: { name: 'short-lived' },
          });
          await measure(
            'a revoked key',
            () => here.api.ask(`/keys/${made.key_id}`, { method: 'DELETE' }),
            () => statusIs(there, '/user/', 401, withKey(made.api_key)),
          );
        });

        test(`a disabled account${after}`, async () => {
          const account = await newAccount(here);
          const { bucket_id: bucket } = account;
          await uploadTo(here, 'kept', file, account.api_key);
          const path = `/accounts/${account.account_id}`;
          await measure(
            'a disabled account',
            () => here.api.ask(path, { method: 'PATCH', body: { enabled: false } }),
            async () =>
              (await statusIs(there, '/user/', 403, withKey(account.api_key), 401)) &&
              (await statusIs(there, `/files/${bucket}/kept/original`, 404)),
          );
        });

        test(`a changed setting${after}`, async () => {
          const account = await newAccount(here);
          await uploadTo(here, 'shown', file, account.api_key);
          const address = `/files/${account.bucket_id}/shown/w-20.webp`;
          await measure(
            'a changed setting',
            () =>
              here.api.ask('/user/', {
                method: 'PATCH',
                body: { transform_policy: 'presets' },
                ...withKey(account.api_key),
              }),
            () => statusIs(there, address, 403),
          );
        });
      }
    },
  );

async function statusIs(
  { api }: TintypeNode,
  path: string,
  status: number,
  request: Request = {},
  orElse = status,
): Promise<boolean> {
  // Every connection may lead to another process.
  const answer = await api.send(path, { ...request, headers: { ...request.headers, Connection: 'close' } });
  assert.ok(answer, `${path} got no answer`);
  return answer.status === status || answer.status === orElse;
}

/** So often that every process has been asked, and keeps what it found. */
async function repeated(look: () => Promise<boolean>, expected: boolean): Promise<void> {
  for (let time = 0; time < 12; time++) assert.equal(await look(), expected);
}

/** Those of all nodes that hear of changes. */
async function cutLines(nodes: Nodes): Promise<void> {
  const cut = await nodes.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tintype watch'`,
  );
  assert.ok(cut.length >= nodes.all.length, 'no line was cut');
}

const withKey = (key: string): Request => ({ headers: { Authorization: `Bearer ${key}` } });

async function newAccount({ api }: TintypeNode): Promise<Account> {
  const body = { email: 'somebody@tintype.test', tier: 'pro' };
  const made = await api.askJson<Account>('/accounts/', { method: 'POST', body });
  return { ...made, ...(await api.askJson<object>('/user/', withKey(made.api_key))) };
}

async function uploadTo({ api }: TintypeNode, id: string, file: Buffer, key?: string): Promise<void> {
  const body = new FormData();
  body.append('object', id);
  body.append('file', new Blob([new Uint8Array(file)]), 'x.jpg');
  await api.ask('/upload/', { method: 'POST', body, ...(key ? withKey(key) : {}) });
}
