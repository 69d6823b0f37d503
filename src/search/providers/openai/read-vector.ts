// Makes a vector of length one of what a server answered, or says that there is none in it.
import { ProviderFault } from '../ai-provider.ts';
import { jsonField } from './json-field.ts';

const leastDimensions = 2;
export const mostDimensions = 4096;
const bytesPerFloat = 4;

export function readVector(answer: unknown): Float32Array {
  const numbers = numbersIn(jsonField(answer, 'data', 0, 'embedding'));
  if (!numbers) throw new ProviderFault('answer', 'The AI provider answered something else than a vector');
  if (numbers.length > mostDimensions) {
    throw new ProviderFault(
      'answer',
      `The AI provider answers vectors of ${numbers.length} numbers; at most ${mostDimensions} are possible, so another embedding model must be set`,
    );
  }
  return ofLengthOne(numbers);
}

/** Null when these are not finite numbers. */
function numbersIn(embedding: unknown): number[] | null {
  const numbers = typeof embedding === 'string' ? decoded(embedding) : embedding;
  if (!Array.isArray(numbers) || numbers.length < leastDimensions) return null;
  return numbers.every((each) => Number.isFinite(each)) ? (numbers as number[]) : null;
}

/** Base64 of 32-bit floats, lowest byte first: the other format of the API, which some servers choose themselves. */
function decoded(base64: string): number[] | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % bytesPerFloat !== 0) return null;
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, place) =>
    bytes.readFloatLE(place * bytesPerFloat),
  );
}

function ofLengthOne(numbers: number[]): Float32Array {
  // Against the largest first: squares of very large or small numbers would be infinite or nothing.
  const largest = numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (largest === 0)
    throw new ProviderFault('answer', 'The AI provider answered a vector of nothing but zeros');
  const scaled = numbers.map((each) => each / largest);
  const length = Math.sqrt(scaled.reduce((sum, each) => sum + each * each, 0));
  return Float32Array.from(scaled, (each) => each / length);
}
