// The shape every step of the pipeline has: it adds its part to the picture, as the plan says, and does no work itself.
import type { Metadata, Sharp } from 'sharp';
import type { RenderPlan } from '../plan.ts';

export type Step = (image: Sharp, plan: RenderPlan, header: Metadata) => Sharp;
