// An id nobody else has. `crypto.randomUUID` is missing in pages that came by plain http, where many begin.
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
