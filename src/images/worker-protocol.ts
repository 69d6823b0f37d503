// What the server and its image workers say to each other. Paths travel, never pictures.
import type { RenderPlan } from './plan.ts';
import type { VariantFacts } from './variant-file.ts';

export type RenderTask = {
  readonly inputPath: string;
  readonly outputPath: string;
  /** Where the file grows until it is whole, on the same disk; beside the output when there is none. */
  readonly stagingFolder?: string;
  readonly plan: RenderPlan;
};

export type RenderResult = VariantFacts & { readonly ms: number };

export type RenderAnswer =
  | { readonly kind: 'rendered'; readonly result: RenderResult }
  | { readonly kind: 'undecodable'; readonly reason: string }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'disk_full'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: RenderAnswer; readonly rssBytes: number };
