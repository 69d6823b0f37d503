// What the server and its vision worker say to each other. Paths travel, never pictures.
import type { Size } from '../rendering/geometry.ts';

export type MaskTask = {
  readonly kind: 'mask';
  readonly inputPath: string;
  /** What the decoder has to find, as displayed. */
  readonly source: Size;
  readonly outputPath: string;
  /** Where the file grows until it is whole, on the same disk; beside the output when there is none. */
  readonly stagingFolder?: string;
  /** A model file of the operator's; null for the one that comes with the packages. */
  readonly modelPath: string | null;
};

export type FacesTask = { readonly kind: 'faces'; readonly inputPath: string; readonly source: Size };

export type VisionTask = MaskTask | FacesTask;

/** In fractions of the picture as displayed, 0 to 1. */
export type Face = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** How sure the detector is, 0 to 1. */
  readonly score: number;
};

export type MaskResult = Size & {
  /** False when nothing stands out of the picture, or its background is transparent already: then all of it stays. */
  readonly subject: boolean;
};

export type VisionAnswer =
  | (MaskResult & { readonly kind: 'masked'; readonly ms: number })
  | { readonly kind: 'found'; readonly faces: readonly Face[]; readonly ms: number }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'undecodable'; readonly reason: string }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'disk_full'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };
