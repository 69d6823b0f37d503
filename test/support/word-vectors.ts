// Vectors of text by the words in it, the same at every run: texts that share words are near each other, others are not.
import { createHash } from 'node:crypto';

const numbersPerWord = 16;
const smallWords = new Set(
  'a an the of in on at by to with and or is are was be it its this that from for'.split(' '),
);

/** Of length one. */
export function wordVector(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of wordsIn(text)) {
    // Each word is spread over several numbers, so that two words rarely have all of them in common.
    const digest = createHash('shake128', { outputLength: numbersPerWord * 4 })
      .update(word)
      .digest();
    for (let at = 0; at < digest.length; at += 4) {
      const chosen = digest.readUInt32LE(at);
      const place = (chosen >>> 1) % dimensions;
      vector[place] = (vector[place] as number) + (chosen & 1 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  // Only with very few dimensions do words cancel each other out.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((each) => each / length);
}

function wordsIn(text: string): Set<string> {
  const all = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = new Set(all.filter((word) => !smallWords.has(word)));
  return words.size > 0 ? words : new Set([text]);
}
