// One file as it is sent: its bytes or where they are, and the headers that go with them whoever asks.
import type { Readable } from 'node:stream';
import type { PreparedAnswer } from '../platform/http/front-connection.ts';
import type { Range } from './byte-range.ts';
import type { ObjectFacts } from './object-facts.ts';

/** What is larger is streamed and never kept in memory. */
export const maxHeldBytes = 256 * 1024;

export type Representation = {
  /** Of all objects it shows; it may be used only while they are as they were. */
  facts: readonly ObjectFacts[];
  sizeBytes: number;
  etag: string;
  headers: Record<string, string>;
  /** All of it, when it is small enough to be kept. */
  bytes: Buffer | null;
  /** Where an nginx in front finds the file, when it may send it. */
  internalAddress?: string | null;
  open(range: Range | null): Promise<Readable>;
  /** Gives back what `open` would have used, when it is not called. */
  close(): Promise<void>;
  /** Marks its file as used. */
  noteUse?(): void;
};

/** One that is kept in memory, with its answer to whoever asks for it by these hosts and nothing more. */
export type KeptRepresentation = Representation & {
  answer: PreparedAnswer;
  hosts: Set<string>;
  /** Whether somebody got it since that was last noted. */
  used: boolean;
};

export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Content-Length, Content-Range, ETag, X-Error-Code, X-Request-Id',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const;

/** `for ever`: the address never shows anything else. `soon`, `moments`: something better is being made. */
export type Lifetime = 'for ever' | 'an hour' | 'soon' | 'moments';

const cacheControl: Record<Lifetime, string> = {
  'for ever': 'public, max-age=31536000, immutable',
  'an hour': 'public, max-age=3600, stale-while-revalidate=86400',
  soon: 'public, max-age=60',
  moments: 'public, max-age=2',
};

export function representationHeaders(input: {
  type: string;
  sha256: string;
  lifetime: Lifetime;
  varies: boolean;
  /** The header by which a cache in front knows what to drop with the object. */
  tag: { header: string; value: string };
}) {
  const etag = `"${input.sha256.slice(0, 32)}"`;
  return {
    etag,
    headers: {
      ...commonHeaders,
      'Content-Type': input.type,
      'Accept-Ranges': 'bytes',
      ETag: etag,
      [input.tag.header]: input.tag.value,
      'Cache-Control': cacheControl[input.lifetime],
      ...(input.varies ? { Vary: 'Accept' } : {}),
    },
  };
}

/** From bytes at hand. */
export function heldRepresentation(
  facts: readonly ObjectFacts[],
  bytes: Buffer,
  headers: ReturnType<typeof representationHeaders>,
): Representation {
  const neverOpened = (): never => {
    throw new Error('Sent from memory');
  };
  return {
    facts,
    sizeBytes: bytes.length,
    ...headers,
    bytes,
    open: neverOpened,
    close: () => Promise.resolve(),
  };
}
