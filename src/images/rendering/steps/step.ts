// The shape every step of the pipeline has: it adds its part to the picture, as the plan says. Most do no work themselves.
import type { Metadata, Sharp } from 'sharp';
import type { RenderPlan } from '../plan.ts';

export type Work = {
  readonly plan: RenderPlan;
  readonly header: Metadata;
  readonly inputPath: string;
  /** The picture that is laid over it. */
  readonly markPath: string | null;
  /** Which parts are in front: a picture in grey, of the whole source. */
  readonly maskPath: string | null;
};

export type Step = (image: Sharp, work: Work) => Sharp;
