// How commands name a running service and talk to it: its address and key by options or by the environment, where a key is
// not seen by who lists the processes of the machine.
import { Tintype } from '../../client/src/index.ts';
import { streamingFetch } from '../platform/egress/streaming-fetch.ts';
import type { ServiceAccess } from '../service-access.ts';
import { webAddress, Wrong } from '../setting-kinds.ts';
import { UsageError } from './arguments.ts';

export const serviceOptions = { server: { type: 'string' }, key: { type: 'string' } } as const;
export type ServiceOptions = { server?: string | undefined; key?: string | undefined };
export type NamedService = { readonly url: string; readonly key: string };

/** For answers of the API and pictures small enough to be shown in a conversation. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** Undefined when nobody names one. */
export function namedService(
  { server, key }: ServiceOptions,
  access: () => ServiceAccess,
): NamedService | undefined {
  const given = access();
  const url = server === undefined ? given.url : checkedAddress(server);
  if (url === undefined) {
    if (key !== undefined) throw new UsageError('--key is for a service that --server or TINTYPE_URL names');
    return undefined;
  }
  const secret = key ?? given.key;
  if (secret === undefined)
    throw new UsageError(`Say which API key to use with ${url}: TINTYPE_KEY in the environment, or --key`);
  return { url, key: secret };
}

function checkedAddress(text: string): string {
  try {
    return webAddress(text);
  } catch (error) {
    throw error instanceof Wrong ? new UsageError(`--server ${error.message}`) : error;
  }
}

/** A service may be long at work on what it was sent: a film is looked at before its upload is answered. */
export const serviceFetch = streamingFetch({ connectMs: 10_000, silenceMs: 15 * 60_000, maxAnswerBytes });

export function connectService({ url, key }: NamedService): Tintype {
  return new Tintype({ url, key, fetch: serviceFetch });
}
