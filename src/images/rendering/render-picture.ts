// One rendering, in the worker: header, plan, pipeline, file.
import { createHash } from 'node:crypto';
import type { Metadata } from 'sharp';
import { findTrimmed } from './find-trimmed.ts';
import { runPipeline } from './pipeline.ts';
import { planRendering, type RenderPlan } from './plan.ts';
import { scaledPlan } from './scaled-plan.ts';
import {
  type Frames,
  frameAt,
  framesToDecode,
  readHeader,
  refuseUnexpected,
  UndecodableError,
} from './steps/decode.ts';
import { writeVariant } from '../variants/variant-file.ts';
import type { RenderResult, RenderTask } from './worker-protocol.ts';

export async function renderPicture(task: RenderTask): Promise<RenderResult> {
  const startedMs = performance.now();
  const header = await readHeader(task.inputPath);
  refuseUnexpected(header, task.inputSize ?? task.source);
  const plan = await planWithPixels(task, header);
  const frames = framesToDecode(wantedFrames(task, plan, header), header);
  const work = {
    plan,
    header,
    inputPath: task.inputPath,
    markPath: task.markPath ?? null,
    maskPath: task.maskPath ?? null,
  };
  const { data, info } = await runPipeline(work, frames)
    .then((image) => image.toBuffer({ resolveWithObject: true }))
    .catch(blamePicture);
  const height = info.pageHeight ?? info.height;
  if (info.width !== plan.width || height !== plan.height) {
    throw new Error(`rendered ${info.width}×${height} instead of ${plan.width}×${plan.height}`);
  }
  const sha256 = createHash('sha256').update(data).digest('hex');
  const facts = { width: info.width, height, size: data.length, sha256 };
  await writeVariant(task.outputPath, data, facts, task.stagingFolder);
  return { ...facts, ms: Math.round(performance.now() - startedMs) };
}

function blamePicture(error: unknown): never {
  throw new UndecodableError(String(error), { cause: error });
}

async function planWithPixels(task: RenderTask, header: Metadata): Promise<RenderPlan> {
  const { source, transformation, findings = {}, inputSize, inputPath } = task;
  const plan = planRendering(source, transformation, findings);
  if (inputSize !== undefined) return scaledPlan(plan, inputSize);
  const tolerance = transformation.tokens.trim;
  if (tolerance === undefined) return plan;
  const frames = framesToDecode(wantedFrames(task, plan, header), header);
  const trimmed = await findTrimmed(inputPath, frames.first, plan, tolerance).catch(blamePicture);
  return planRendering(source, transformation, { ...findings, trimmed });
}

function wantedFrames(
  { transformation: { tokens } }: RenderTask,
  plan: RenderPlan,
  header: Metadata,
): Frames {
  if (tokens.t !== undefined) return { first: frameAt(tokens.t, header), count: 1 };
  return { first: (tokens.page ?? 1) - 1, count: plan.frames };
}
