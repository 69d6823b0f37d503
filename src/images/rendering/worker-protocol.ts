// What the server and its image workers say to each other. Paths travel, never pictures.
import type { ErrorCode } from '../../platform/errors.ts';
import type { CostClass } from './budget.ts';
import type { Size } from './geometry.ts';
import type { Findings, SourceFacts } from './plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { VariantFacts } from '../variants/variant-file.ts';

export type RenderTask = {
  readonly inputPath: string;
  /** When it is not the original itself but a smaller copy of it: the size of that. */
  readonly inputSize?: Size;
  readonly source: SourceFacts;
  readonly transformation: VariantTransformation;
  readonly findings?: Findings;
  readonly markPath?: string;
  readonly maskPath?: string;
  readonly outputPath: string;
  /** Where the file grows until it is whole, on the same disk; beside the output when there is none. */
  readonly stagingFolder?: string;
  readonly costClass: CostClass;
};

export type RenderResult = VariantFacts & { readonly ms: number };

export type DescribeTask = { readonly inputPath: string; readonly source: Size };

export type Description = {
  /** In base 64; about 25 bytes from which a blurred likeness can be drawn. */
  readonly thumbhash: string;
  /** As `#rrggbb`. */
  readonly dominantColor: string;
};

export type ImageTask =
  | ({ readonly kind: 'render' } & RenderTask)
  | ({ readonly kind: 'describe' } & DescribeTask);

export type ImageAnswer =
  | { readonly kind: 'rendered'; readonly result: RenderResult }
  | { readonly kind: 'described'; readonly description: Description }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly reason: string }
  | { readonly kind: 'undecodable'; readonly reason: string }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'disk_full'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };
