// A file and its fields as one multipart body, streamed, with a count of what has been sent. Used where the runtime's own
// form cannot tell of progress, or where the file is a stream.

import { randomId } from './random-id.ts';

export type FileSource =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

export type UploadFields = {
  readonly fileName: string;
  /** Left out where they are empty. */
  readonly fields: Readonly<Record<string, string>>;
};

export type Progress = {
  readonly sentBytes: number;
  /** Null for a stream. */
  readonly totalBytes: number | null;
};

export function isRepeatable(file: FileSource): file is Blob | ArrayBuffer | Uint8Array {
  return file instanceof Blob || file instanceof ArrayBuffer || file instanceof Uint8Array;
}

export function asBlob(file: Blob | ArrayBuffer | Uint8Array): Blob {
  return file instanceof Blob ? file : new Blob([file as Uint8Array<ArrayBuffer>]);
}

export function formOf(file: Blob, { fileName, fields }: UploadFields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file, fileName);
  return form;
}

/** Fields come before the file, so that what is wrong with them is known before it has been sent. */
export function streamOf(
  file: FileSource,
  { fileName, fields }: UploadFields,
  onProgress?: (progress: Progress) => void,
): { body: ReadableStream<Uint8Array>; contentType: string } {
  const boundary = `tintype-${randomId()}`;
  const totalBytes = isRepeatable(file) ? asBlob(file).size : null;

  async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
    const text = new TextEncoder();
    const head = (name: string, more = ''): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${more}\r\n\r\n`;
    for (const [name, value] of Object.entries(fields)) yield text.encode(`${head(name)}${value}\r\n`);
    yield text.encode(head('file', `; filename="${escaped(fileName)}"`));
    let sentBytes = 0;
    for await (const chunk of chunksOf(file)) {
      yield chunk;
      sentBytes += chunk.byteLength;
      onProgress?.({ sentBytes, totalBytes });
    }
    yield text.encode(`\r\n--${boundary}--\r\n`);
  }

  return { body: readable(parts()), contentType: `multipart/form-data; boundary=${boundary}` };
}

async function* chunksOf(file: FileSource): AsyncGenerator<Uint8Array, void, undefined> {
  if (!isRepeatable(file)) {
    yield* file as AsyncIterable<Uint8Array>;
    return;
  }
  const blob = asBlob(file);
  const chunkBytes = 64 * 1024;
  for (let start = 0; start < blob.size; start += chunkBytes)
    yield new Uint8Array(await blob.slice(start, start + chunkBytes).arrayBuffer());
}

/** As browsers write names into a form. */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function readable(source: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await source.return();
    },
  });
}
