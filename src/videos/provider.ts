// Who makes streams of films: this machine, or a service elsewhere. One interface for both, so that addresses, states and
// events are the same whoever does it.
import type { FilmFacts, FilmFile, FilmType, Rendition } from './film.ts';

export type Stream =
  | {
      readonly kind: 'own';
      /** Names the folder of its files; another for each publication, so that whoever plays an earlier one is not disturbed. */
      readonly revision: string;
      readonly renditions: readonly Rendition[];
      /** Whether the MP4 and the storyboard are there too. */
      readonly extras: boolean;
    }
  | { readonly kind: 'elsewhere'; readonly url: string; readonly renditions: readonly Rendition[] };

export type Film = {
  readonly generation: string;
  readonly bucketId: string;
  readonly objectId: string;
  readonly facts: FilmFacts;
  readonly type: FilmType;
  /** The public address of its original. */
  readonly originalUrl: string;
  localFile(): Promise<FilmFile>;
};

export type WorkContext = {
  readonly signal: AbortSignal;
  /** 0 to 100; may be called often. */
  progress(percent: number): void;
  /** Something is playable before the work is done. */
  publish(stream: Stream): Promise<void>;
  /** Keeps what the provider must know to go on after a restart. */
  remember(state: unknown): Promise<void>;
  /** Keeps a file of the film's streams: durable when it resolves. */
  keep(name: string, path: string): Promise<void>;
};

export type Worked =
  | { readonly kind: 'ready'; readonly stream: Stream }
  /** Somebody else works on it: to be asked again then, or when they call. */
  | { readonly kind: 'waiting'; readonly afterMs: number };

export interface VideoProvider {
  readonly name: string;
  /**
   * Goes on from what was remembered. Throws a FilmFault when the film is to blame; anything else is tried again, at most
   * three times unless it is ProviderUnavailable.
   */
  work(film: Film, state: unknown, context: WorkContext): Promise<Worked>;
  /** Forgets the film there. */
  remove(film: Pick<Film, 'generation'>, state: unknown): Promise<void>;
}

/** The provider does not answer as it should, which says nothing about the film: it is asked for as long as it takes. */
export class ProviderUnavailable extends Error {}

/** Nothing can be made of this film; the message is for its owner. */
export class FilmFault extends Error {}
