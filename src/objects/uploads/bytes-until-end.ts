// The body of a request, whole or as much of it as came before the line broke.
import type { IncomingMessage } from 'node:http';

export async function* bytesUntilEnd(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // Not ours to destroy: who is refused in the middle of it must still be able to read why.
    yield* request.iterator({ destroyOnReturn: false });
  } catch (error) {
    // When the line breaks, the iterator keeps back what has come and nobody had asked for yet.
    for (let chunk = request.read(); chunk !== null; chunk = request.read()) yield chunk;
    throw error;
  }
}
