// Takes a multipart/form-data body apart as it arrives (RFC 7578): pure, constant memory, no copies of file bytes. Written
// because a general parser with streams of its own took a tenth of the time of an upload.

export type PartHead = { name: string; fileName: string | undefined; isFile: boolean; type: string };
export type MultipartEvent =
  | { type: 'begin'; head: PartHead }
  | { type: 'data'; bytes: Buffer }
  | { type: 'end' };

export class MultipartFault extends Error {}

const maxHeadBytes = 16 * 1024;
const nothing = Buffer.alloc(0);
const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');
const dash = 0x2d;

/**
 * `start` at the first byte, `preamble` before the first boundary, `boundary` right behind one, then a part's `head` and
 * `body`; `epilogue` after the last.
 */
type State = 'start' | 'preamble' | 'boundary' | 'head' | 'body' | 'epilogue';

export class MultipartParser {
  readonly #delimiter: Buffer;
  #state: State = 'start';
  /** What may be the beginning of something and needs the next chunk to tell. */
  #carried: Buffer = nothing;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  get isComplete(): boolean {
    return this.#state === 'epilogue';
  }

  push(chunk: Buffer): MultipartEvent[] {
    const events: MultipartEvent[] = [];
    let rest = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    this.#carried = nothing;
    while (rest.length > 0) {
      const left = this.#step(rest, events);
      if (left === null) break;
      rest = left;
    }
    return events;
  }

  /** What is left to look at; null when only the next chunk can tell more. */
  #step(bytes: Buffer, events: MultipartEvent[]): Buffer | null {
    switch (this.#state) {
      case 'start':
        return this.#readStart(bytes);
      case 'preamble':
      case 'body':
        return this.#readBody(bytes, events);
      case 'boundary':
        return this.#readBoundary(bytes);
      case 'head':
        return this.#readHead(bytes, events);
      case 'epilogue':
        return null;
    }
  }

  /** The first boundary has no line before it. Looked at by itself, because a first chunk put behind one would be copied. */
  #readStart(bytes: Buffer): Buffer | null {
    const line = this.#delimiter.subarray(lineEnd.length);
    const length = Math.min(bytes.length, line.length);
    if (line.compare(bytes, 0, length, 0, length) !== 0) {
      this.#state = 'preamble';
      return bytes;
    }
    if (length < line.length) return this.#wait(bytes);
    this.#state = 'boundary';
    return bytes.subarray(length);
  }

  #readBody(bytes: Buffer, events: MultipartEvent[]): Buffer | null {
    const at = bytes.indexOf(this.#delimiter);
    const length = at === -1 ? bytes.length - this.#beginningAtEnd(bytes) : at;
    if (this.#state === 'body' && length > 0) events.push({ type: 'data', bytes: bytes.subarray(0, length) });
    if (at === -1) {
      this.#carried = bytes.subarray(length);
      return null;
    }
    if (this.#state === 'body') events.push({ type: 'end' });
    this.#state = 'boundary';
    return bytes.subarray(at + this.#delimiter.length);
  }

  /** How many of the last bytes could be the beginning of a delimiter. */
  #beginningAtEnd(bytes: Buffer): number {
    const from = Math.max(0, bytes.length - this.#delimiter.length + 1);
    for (let at = bytes.indexOf(0x0d, from); at !== -1; at = bytes.indexOf(0x0d, at + 1)) {
      const length = bytes.length - at;
      if (this.#delimiter.compare(bytes, at, bytes.length, 0, length) === 0) return length;
    }
    return 0;
  }

  #readBoundary(bytes: Buffer): Buffer | null {
    if (bytes.length < 2) return this.#wait(bytes);
    if (bytes[0] === dash && bytes[1] === dash) {
      this.#state = 'epilogue';
      return null;
    }
    const end = bytes.indexOf(lineEnd);
    if (end === -1) return this.#wait(bytes);
    if (bytes.subarray(0, end).some((byte) => byte !== 0x20 && byte !== 0x09)) {
      throw new MultipartFault('A boundary is followed by something else');
    }
    this.#state = 'head';
    // Kept: a head may be empty, and then its end begins with this line's.
    return bytes.subarray(end);
  }

  #readHead(bytes: Buffer, events: MultipartEvent[]): Buffer | null {
    const end = bytes.indexOf(headEnd);
    if (end === -1) return this.#wait(bytes);
    if (end > maxHeadBytes) throw tooLong();
    events.push({ type: 'begin', head: parseHead(bytes.toString('utf8', 0, end)) });
    this.#state = 'body';
    return bytes.subarray(end + headEnd.length);
  }

  #wait(bytes: Buffer): null {
    if (bytes.length > maxHeadBytes) throw tooLong();
    this.#carried = bytes;
    return null;
  }
}

function tooLong(): MultipartFault {
  return new MultipartFault('The head of a part is too long');
}

function parseHead(text: string): PartHead {
  const disposition = /^content-disposition:[ \t]*form-data(.*)$/im.exec(text)?.[1];
  if (disposition === undefined) throw new MultipartFault('A part does not say what it is');
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of disposition.matchAll(
    /;\s*([^=;\s]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  )) {
    if (!parameters.has(name.toLowerCase()))
      parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
  }
  const fileName = extendedValue(parameters.get('filename*')) ?? parameters.get('filename');
  const type = /^content-type:[ \t]*([^;\s]*)/im.exec(text)?.[1]?.toLowerCase() ?? 'text/plain';
  return {
    name: parameters.get('name') ?? '',
    fileName,
    isFile: fileName !== undefined || type === 'application/octet-stream',
    type,
  };
}

/** `UTF-8''na%C3%AFve.jpg` (RFC 8187). */
function extendedValue(text: string | undefined): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text ?? '') ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
