// What the server and its film workers say to each other. Paths travel, never films.
import type { FilmFacts, FilmFile, StreamFolder } from '../film.ts';
import type { Rung } from './ladder.ts';

/** Said to its owner when nothing better is known. */
export const undecodableSentence =
  'The film cannot be decoded: it is cut short, damaged, or of an unknown kind';

export type FilmTask =
  | { readonly kind: 'probe'; readonly film: FilmFile; readonly posterPath: string }
  | { readonly kind: 'still'; readonly film: FilmFile; readonly atMs: number; readonly outputPath: string }
  | { readonly kind: 'remux'; readonly film: FilmFile; readonly facts: FilmFacts; readonly folder: string }
  | {
      readonly kind: 'transcode';
      readonly film: FilmFile;
      readonly facts: FilmFacts;
      readonly rungs: readonly Rung[];
      readonly folder: string;
    }
  | {
      readonly kind: 'extras';
      readonly film: FilmFile;
      readonly facts: FilmFacts;
      readonly streamFolder: string;
      readonly stream: StreamFolder;
      readonly folder: string;
    };

export type FilmAnswer =
  | { readonly kind: 'probed'; readonly facts: FilmFacts }
  | { readonly kind: 'streamed'; readonly stream: StreamFolder | null }
  | { readonly kind: 'written' }
  /** The reason is a sentence for the film's owner; the detail is for the log. */
  | { readonly kind: 'undecodable'; readonly reason: string; readonly detail: string }
  | { readonly kind: 'disk_full'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };
