// Reads the weights of the tiny face detector from its package, which is optional: one byte for each number, and a
// manifest that says what they mean.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { UnavailableError } from './unavailable-error.ts';

const folder = '@vladmandic/face-api/model/';
const manifestName = `${folder}tiny_face_detector_model-weights_manifest.json`;
const bytesName = `${folder}tiny_face_detector_model.bin`;

/** By name, in the order the layers use them: height, width, channels in, channels out. */
export type FaceWeights = ReadonlyMap<string, Float32Array>;

type Manifest = readonly {
  readonly weights: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly quantization: { readonly dtype: string; readonly scale: number; readonly min: number };
  }[];
}[];

export async function loadFaceWeights(): Promise<FaceWeights> {
  try {
    const { resolve } = createRequire(import.meta.url);
    const [manifest, bytes] = await Promise.all([
      readFile(resolve(manifestName), 'utf8').then((text) => JSON.parse(text) as Manifest),
      readFile(resolve(bytesName)),
    ]);
    return readWeights(manifest, bytes);
  } catch (error) {
    throw new UnavailableError(`The face model does not load: ${String(error)}`, { cause: error });
  }
}

function readWeights(manifest: Manifest, bytes: Uint8Array): FaceWeights {
  let position = 0;
  const weights = new Map<string, Float32Array>();
  for (const { name, shape, quantization } of manifest.flatMap((group) => group.weights)) {
    const { dtype, scale, min } = quantization;
    const length = shape.reduce((product, side) => product * side, 1);
    if (dtype !== 'uint8' || position + length > bytes.length) throw new Error(`${name} is not as expected`);
    weights.set(
      name,
      Float32Array.from(bytes.subarray(position, position + length), (byte) => byte * scale + min),
    );
    position += length;
  }
  return weights;
}
