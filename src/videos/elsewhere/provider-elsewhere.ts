// A provider that has streams made by a service elsewhere: asks it to fetch the original, then looks again until it is done.
// How each service is spoken to is in a folder of its own.
import type { GuardedFetch } from '../../platform/egress/guarded-fetch.ts';
import {
  type Film,
  FilmFault,
  type Stream,
  type VideoProvider,
  type WorkContext,
  type Worked,
} from '../provider.ts';
import { plainSentence } from './plain-sentence.ts';
import { readRenditions } from './read-renditions.ts';
import { rememberedAsset, type RememberedAsset } from './remembered-asset.ts';
import { type Asset, ServiceError, type StreamingService } from './streaming-service.ts';

const workMs = 60_000;
const firstLookMs = 2000;
const lastLookMs = 60_000;
const busyMs = 30_000;
const longestBusyMs = 10 * 60_000;
const maxAttempts = 2;
/** Long enough that a clock set forward by a day gives up no film. */
const patienceMs = 3 * 24 * 3600_000;
/** Some streams are called ready and never get to 100%: what can be played for so long is all there will be. */
const playableMs = 30 * 60_000;

type Parts = { service: StreamingService; guardedFetch: GuardedFetch };
type Step = Parts & { film: Film; context: WorkContext; signal: AbortSignal };

export function createProviderElsewhere(parts: Parts): VideoProvider {
  const { service } = parts;
  return {
    name: service.name,
    work: (film, state, context) => {
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(workMs)]);
      return goOn({ ...parts, film, context, signal }, rememberedAsset(state)).catch(waitWhileBusy);
    },
    async remove({ generation }, state) {
      const signal = AbortSignal.timeout(workMs);
      const known = rememberedAsset(state)?.assetId;
      const assetId = known ?? (await service.find(generation, signal))?.id;
      if (assetId) await unlessGone(service.remove(assetId, signal));
    },
  };
}

async function goOn(step: Step, remembered: RememberedAsset | null): Promise<Worked> {
  if (!remembered?.assetId) return begin(step, remembered?.attempt ?? 1);
  const asset = await unlessGone(step.service.look(remembered.assetId, step.signal));
  if (asset) return follow(step, asset, remembered);
  return beginAgain(step, remembered, 'no longer has this film');
}

/** We may have been stopped between their answer and our note of it, so what they have of this film is looked for first. */
async function begin({ service, film, context, signal }: Step, attempt: number): Promise<Worked> {
  const found = await service.find(film.generation, signal);
  const { id } = found ?? (await service.create(film, signal).catch((error) => refuse(service, error)));
  const asked: RememberedAsset = { assetId: id, askedAtMs: Date.now(), attempt, playableSinceMs: null };
  await context.remember(asked);
  return { kind: 'waiting', afterMs: firstLookMs };
}

async function beginAgain(step: Step, { attempt }: RememberedAsset, why: string): Promise<Worked> {
  if (attempt >= maxAttempts) throw fault(step.service, why);
  const next: RememberedAsset = {
    assetId: null,
    askedAtMs: Date.now(),
    attempt: attempt + 1,
    playableSinceMs: null,
  };
  await step.context.remember(next);
  return begin(step, next.attempt);
}

async function follow(step: Step, asset: Asset, remembered: RememberedAsset): Promise<Worked> {
  const { progress } = asset;
  switch (progress.kind) {
    case 'failed':
      throw fault(step.service, 'could not make a stream of this film', progress.reason);
    case 'unfetched':
      await unlessGone(step.service.remove(asset.id, step.signal));
      return beginAgain(step, remembered, 'could not fetch the film from this server');
    case 'ready':
      return { kind: 'ready', stream: await streamAt(progress.url, step) };
    case 'playable':
      tell(step, progress.percent);
      return play(step, progress.url, remembered);
    case 'working':
      tell(step, progress.percent);
      return wait(step, remembered);
  }
}

async function play(step: Step, url: string, remembered: RememberedAsset): Promise<Worked> {
  const since = remembered.playableSinceMs;
  if (since !== null && Date.now() - since < playableMs) return wait(step, remembered);
  const stream = await streamAt(url, step);
  if (since !== null) return { kind: 'ready', stream };
  await step.context.publish(stream);
  const playable: RememberedAsset = { ...remembered, playableSinceMs: Date.now() };
  await step.context.remember(playable);
  return wait(step, remembered);
}

function wait({ service }: Step, { askedAtMs }: RememberedAsset): Worked {
  const elapsedMs = Date.now() - askedAtMs;
  if (elapsedMs > patienceMs) throw fault(service, 'did not finish this film within three days');
  const afterMs = Math.min(lastLookMs, Math.max(firstLookMs, elapsedMs / 4));
  return { kind: 'waiting', afterMs: Math.round(afterMs) };
}

/** Too many calls at once are no failed attempt: many films arriving together would otherwise use up all of theirs. */
function waitWhileBusy(error: unknown): Worked {
  if (!(error instanceof ServiceError) || error.status !== 429) throw error;
  const waitMs = error.retryAfterSeconds === null ? busyMs : error.retryAfterSeconds * 1000;
  return { kind: 'waiting', afterMs: Math.min(longestBusyMs, Math.max(firstLookMs, waitMs)) };
}

/** What they do not accept now they will not accept later. */
function refuse(service: StreamingService, error: unknown): never {
  const refused = error instanceof ServiceError && [400, 413, 422].includes(error.status ?? 0);
  throw refused ? fault(service, 'did not accept this film', error.words) : error;
}

async function unlessGone<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}

async function streamAt(url: string, { guardedFetch, signal }: Step): Promise<Stream> {
  return { kind: 'elsewhere', url, renditions: await readRenditions(url, { guardedFetch, signal }) };
}

function tell({ context }: Step, percent: number | null): void {
  if (percent !== null) context.progress(Math.min(100, Math.max(0, percent)));
}

function fault({ title }: StreamingService, what: string, theirWords = ''): FilmFault {
  const words = plainSentence(theirWords);
  return new FilmFault(words ? `${title} ${what}: ${words}` : `${title} ${what}`);
}
