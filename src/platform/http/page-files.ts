// The files of a page that was built beforehand: those named by their content may be kept for ever, the page itself is
// asked for each time. Read and kept when first wanted: there are a few dozen, and none is large.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding } from './accepts-encoding.ts';
import { namesTag } from './names-tag.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
/** Written beside each file by the build, the smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
const safeName = /^(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)+$/;

type Kept = { readonly bytes: Buffer; readonly encoding: string | null; readonly etag: string };

export class PageFiles {
  readonly #folder: string;
  readonly #kept = new Map<string, Promise<Kept | null>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** False when there is no such file. */
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<boolean> {
    const type = mediaTypes[extname(name)];
    if (type === undefined || !safeName.test(name)) return false;
    const file = await this.#find(name, String(request.headers['accept-encoding'] ?? ''));
    if (!file) return false;
    reply
      .type(type)
      .header('Vary', 'Accept-Encoding')
      .header('ETag', file.etag)
      .header('X-Content-Type-Options', 'nosniff')
      .header('Cache-Control', isNamedByContent(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
    if (namesTag(request.headers['if-none-match'], file.etag)) await reply.code(304).send();
    else {
      if (file.encoding) reply.header('Content-Encoding', file.encoding);
      await reply.send(file.bytes);
    }
    return true;
  }

  async #find(name: string, accepted: string): Promise<Kept | null> {
    for (const [encoding, ending] of encodings) {
      if (!acceptsEncoding(accepted, encoding)) continue;
      const file = await this.#load(name + ending, encoding);
      if (file) return file;
    }
    return this.#load(name, null);
  }

  async #load(name: string, encoding: string | null): Promise<Kept | null> {
    const kept = this.#kept.get(name) ?? read(join(this.#folder, name), encoding);
    // What is not there may be built a moment later, and names nobody has must not add up.
    if (await kept) this.#kept.set(name, kept);
    return kept;
  }
}

async function read(path: string, encoding: string | null): Promise<Kept | null> {
  try {
    const bytes = await readFile(path);
    return {
      bytes,
      encoding,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    };
  } catch {
    return null;
  }
}

/** As the build names what nothing else refers to by name. */
function isNamedByContent(name: string): boolean {
  return name.startsWith('assets/');
}
