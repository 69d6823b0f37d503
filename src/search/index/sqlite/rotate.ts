// Turns a vector by an angle that looks random and is always the same, so that what models put into few dimensions is
// spread over all of them: only then does a short code of each dimension say equally much of every vector.

/** Lengths and cosines stay as they are. */
export function rotate(vector: Float32Array): Float32Array {
  const turned = Float32Array.from(vector);
  const span = 2 ** Math.floor(Math.log2(Math.max(1, turned.length)));
  const end = turned.length - span;
  // Dimensions that are no power of two are mixed in two spans that overlap.
  const starts = end === 0 ? [0, 0] : [0, end, 0, end];
  for (const [round, start] of starts.entries()) {
    flipSigns(turned, round);
    mix(turned.subarray(start, start + span));
  }
  return turned;
}

/** As a coin would, that falls the same way at every start: the codes in the database depend on it. */
function flipSigns(vector: Float32Array, round: number): void {
  for (let at = 0; at < vector.length; at++) {
    let mixed = Math.imul(at + 1, 0x9e3779b1) ^ Math.imul(round + 1, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
    if (((mixed ^ (mixed >>> 16)) & 1) === 1) vector[at] = -(vector[at] as number);
  }
}

/** The Walsh–Hadamard transform, scaled so that lengths stay. */
function mix(span: Float32Array): void {
  for (let half = 1; half < span.length; half *= 2) {
    for (let start = 0; start < span.length; start += 2 * half) {
      for (let at = start; at < start + half; at++) {
        const left = span[at] as number;
        const right = span[at + half] as number;
        span[at] = left + right;
        span[at + half] = left - right;
      }
    }
  }
  const scale = 1 / Math.sqrt(span.length);
  for (let at = 0; at < span.length; at++) span[at] = (span[at] as number) * scale;
}
