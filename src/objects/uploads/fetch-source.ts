// Opens the file at an address an account gave. Whatever the other side does wrong becomes one clear refusal: it is never a
// fault of ours.
import type { IncomingMessage } from 'node:http';
import type { Audience } from '../../platform/egress/call-out.ts';
import { download } from '../../platform/egress/download.ts';
import { AppError } from '../../platform/errors.ts';
import type { BodyRateGuard } from '../../platform/http/body-rate.ts';
import { sourceFileName } from './source-file-name.ts';

const answerMs = 15_000;

export type SourceOptions = Audience & { url: string; signal: AbortSignal; guard: BodyRateGuard };
export type Source = { fileName: string; bytes: AsyncIterable<Buffer> };

export async function fetchSource({ guard, ...options }: SourceOptions): Promise<Source> {
  const { status, headers, url, body } = await download({ ...options, answerMs }).catch((error: Error) => {
    throw unavailable(error.message);
  });
  if (status !== 200) {
    body.destroy();
    throw unavailable(`the server answered ${status}`);
  }
  guard.watch(body, () =>
    body.destroy(unavailable('the server sent less than 1 KB per second for 30 seconds')),
  );
  return { fileName: sourceFileName(headers['content-disposition'], url), bytes: bytesOf(body) };
}

async function* bytesOf(body: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw error instanceof AppError ? error : unavailable('the connection ended too early');
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

function unavailable(why: string): AppError {
  return new AppError('source_unavailable', `The file could not be fetched: ${why}`);
}
