// What scenarios do with a service over its API: pictures uploaded, background work waited for, metrics read.
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './service.ts';

const preparedWithinMs = 300_000;

/** The path of the new object, which ends with a slash. */
export async function upload(service: Service, picture: Buffer, key?: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(picture)]), 'picture.jpg');
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const uploaded = await service.call('/upload/', { method: 'POST', body: form, headers });
  if (uploaded.status !== 200) throw new Error(`The upload was answered ${uploaded.status}`);
  const { object_url: url } = (await uploaded.json()) as { object_url: string };
  return new URL(url).pathname;
}

/** The key of a new account. */
export async function newAccount(service: Service, terms: object): Promise<string> {
  const made = await service.call('/accounts/', {
    method: 'POST',
    body: JSON.stringify({ email: 'someone@example.com', ...terms }),
    headers: { 'Content-Type': 'application/json' },
  });
  const { api_key: key } = (await made.json()) as { api_key: string };
  return key;
}

export async function metric(service: Service, name: string): Promise<number> {
  const text = await (await service.call('/metrics')).text();
  const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(text);
  if (!line) throw new Error(`There is no metric ${name}`);
  return Number(line[1]);
}

/** Until all that follows uploads is done. */
export async function untilPrepared(service: Service): Promise<void> {
  const givesUpAt = performance.now() + preparedWithinMs;
  while (performance.now() < givesUpAt) {
    const [waiting, busy] = [
      await metric(service, 'tintype_jobs_waiting'),
      await metric(service, 'tintype_renderings_busy'),
    ];
    if (waiting + busy === 0) return;
    await delay(100);
  }
  throw new Error(`Background work was not done within ${preparedWithinMs / 1000} s`);
}
