// What is asked of a service that makes streams elsewhere, whichever it is, and how it says that it could not.
import { type Film, ProviderUnavailable } from '../provider.ts';

export type AssetProgress =
  | { readonly kind: 'working'; readonly percent: number | null }
  /** Some qualities can be played, others are still being made. */
  | { readonly kind: 'playable'; readonly percent: number | null; readonly url: string }
  | { readonly kind: 'ready'; readonly url: string }
  /** They could not get the original from here: no fault of the film. */
  | { readonly kind: 'unfetched' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A film as the service knows it. */
export type Asset = { readonly id: string; readonly progress: AssetProgress };

/** Calls reject with a ServiceError and never try twice by themselves: a second try to create would make a second asset. */
export interface StreamingService {
  /** As in VIDEO_PROVIDER. */
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  /** The asset that was made for a film, if there is one. */
  find(generation: string, signal: AbortSignal): Promise<Asset | null>;
  create(film: Film, signal: AbortSignal): Promise<Asset>;
  look(assetId: string, signal: AbortSignal): Promise<Asset>;
  remove(assetId: string, signal: AbortSignal): Promise<void>;
}

/** The message names neither address nor credentials; what the service wrote is kept apart, for the film's owner. */
export class ServiceError extends ProviderUnavailable {
  /** Null when there was no answer at all. */
  readonly status: number | null;
  readonly words: string;
  readonly retryAfterSeconds: number | null;

  constructor(title: string, answer: { status: number; words?: string; retryAfter?: string | null } | null) {
    super(answer ? `${title} answered ${answer.status}` : `${title} did not answer`);
    this.name = 'ServiceError';
    this.status = answer?.status ?? null;
    this.words = answer?.words ?? '';
    this.retryAfterSeconds = secondsIn(answer?.retryAfter);
  }
}

/** Everything that arrived but does not look like what they document. */
export function nonsense(title: string): Error {
  return new Error(`${title} answered something else than an asset`);
}

function secondsIn(header: string | null | undefined): number | null {
  return header && /^\d{1,5}$/.test(header.trim()) ? Number(header) : null;
}
