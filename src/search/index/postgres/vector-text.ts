// Vectors on their way to PostgreSQL and back.

/** Nine digits tell every 32-bit float from all others. */
const digits = 9;

export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Number(value.toPrecision(digits))).join(',')}]`;
}

/** Of what `vector_send` gives: the number of dimensions and nothing, in 16 bits each, then floats, highest byte first. */
export function vectorFromSent(sent: Uint8Array): Float32Array {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  const headerBytes = 4;
  return Float32Array.from({ length: view.getInt16(0) }, (_, at) => view.getFloat32(headerBytes + 4 * at));
}
