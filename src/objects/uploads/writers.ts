// Who writes to which resumable upload in this process. A client that comes back while its old connection still seems
// alive asks for more than it knows: the old request ends first, so that what it brought is counted and not sent again.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../platform/errors.ts';

type Writer = { request: IncomingMessage; ended: Promise<unknown> };

export class Writers {
  readonly #writers = new Map<string, Writer>();

  async follow<T>(uploadId: string, request: IncomingMessage, write: () => Promise<T>): Promise<T> {
    const written = write();
    const writer = { request, ended: written.catch(() => undefined) };
    this.#writers.set(uploadId, writer);
    try {
      return await written;
    } finally {
      if (this.#writers.get(uploadId) === writer) this.#writers.delete(uploadId);
    }
  }

  /** Resolves when nobody here writes to it any more. */
  async interrupt(uploadId: string): Promise<void> {
    const writer = this.#writers.get(uploadId);
    if (!writer) return;
    const { request } = writer;
    // As if the line had broken: whoever reads the body hears of it.
    if (!request.complete && request.listenerCount('error') > 0)
      request.emit('error', new AppError('offset_conflict', 'Another request of this upload took over'));
    await writer.ended;
  }
}
