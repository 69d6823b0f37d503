// What is known of a film, and the shapes in which it travels between upload, workers and providers.
import type { Rendition } from '../objects/film-renditions.ts';

export type { Rendition } from '../objects/film-renditions.ts';

export type FilmType =
  | 'video/mp4'
  | 'video/x-m4v'
  | 'video/quicktime'
  | 'video/3gpp'
  | 'video/3gpp2'
  | 'video/x-msvideo'
  | 'video/x-matroska'
  | 'video/webm'
  | 'video/mp2t'
  | 'video/mpeg'
  | 'video/x-flv'
  | 'video/x-ms-wmv'
  | 'video/ogg';

/** A film on this machine: its type was decided by its first bytes, and names the only demuxer it is opened with. */
export type FilmFile = { readonly path: string; readonly type: FilmType };

export type FilmFacts = {
  readonly durationMs: number;
  /** As displayed: turned, and with square pixels. */
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
  /** On average; 0 when unknown. */
  readonly frameRate: number;
  /** By FFmpeg's names: h264, vp9, … */
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  /** Of the whole file, in bits per second. */
  readonly bitRate: number;
};

/** A whole stream as it lies in a folder: master.m3u8, 720p.m3u8, 720p/init.mp4, 720p/00000.m4s and so on. */
export type StreamFolder = {
  /** Relative to the folder. */
  readonly files: readonly string[];
  readonly renditions: readonly Rendition[];
};
