// `callOut` in the shape of `fetch`, for libraries that take one: so theirs are guarded calls too.
import { type Audience, callOut, type OutgoingAnswer } from './call-out.ts';

export type GuardedFetchOptions = Audience & {
  /** For each call; a signal of the caller's may end it earlier. */
  deadlineMs: number;
  maxBytes: number;
};

export type GuardedFetch = typeof fetch;

/** Answers that have no body by definition; `Response` refuses to be made with one. */
const bodiless = new Set([204, 205, 304]);

/** Redirects are answers like any other: they are not followed. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { deadlineMs, maxBytes, ...audience } = options;
  return async (input, init) => {
    // Brings every kind of body and header into one form, and calls nobody.
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    try {
      const answer = await callOut({
        ...audience,
        url: request.url,
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' },
        body,
        deadlineMs,
        signal: request.signal,
        readBody: { maxBytes },
      });
      return asResponse(answer);
    } catch (error) {
      request.signal.throwIfAborted();
      // As `fetch` calls what is neither an answer nor the caller's own doing.
      throw new TypeError((error as Error).message);
    }
  };
}

export function asResponse({ status, headers, body }: OutgoingAnswer): Response {
  return new Response(bodiless.has(status) ? null : new Uint8Array(body), {
    status,
    headers: plainHeaders(headers),
  });
}

function plainHeaders(headers: NodeJS.Dict<string | string[]>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}
