// Sends a file as a form. Browsers tell of progress only by XMLHttpRequest; everywhere else the body is counted as it is read.
import type { StoredObject } from './api.ts';
import type { Calls, CallOptions } from './calls.ts';
import { randomId } from './random-id.ts';
import { sendByXhr, XMLHttpRequest } from './send-by-xhr.ts';
import {
  asBlob,
  type FileSource,
  formOf,
  isRepeatable,
  type Progress,
  streamOf,
  type UploadFields,
} from './upload-body.ts';

export type ObjectFields = {
  readonly tags?: readonly string[] | undefined;
  readonly folder?: string | undefined;
  /** An id of your own in place of a random one. */
  readonly object?: string | undefined;
};

export type UploadOptions = CallOptions &
  ObjectFields & {
    /** Left out, that of a `File`. */
    readonly fileName?: string | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    /** A repeat under the same key gets the first answer; left out, one is made. */
    readonly idempotencyKey?: string | undefined;
  };

export async function uploadFile(
  calls: Calls,
  file: FileSource,
  options: UploadOptions = {},
): Promise<StoredObject> {
  const fields: UploadFields = { fileName: fileNameOf(file, options), fields: formFields(options) };
  const headers = { 'Idempotency-Key': options.idempotencyKey ?? randomId() };
  const { onProgress, signal } = options;
  if (!isRepeatable(file)) return sendStream(calls, streamOf(file, fields, onProgress), headers, signal);
  if (!onProgress) {
    const body = formOf(asBlob(file), fields);
    const answer = await calls.read<StoredObject>('/upload/', {
      method: 'POST',
      body,
      headers,
      signal,
      repeatable: true,
    });
    return answer.body;
  }
  if (XMLHttpRequest) {
    const form = formOf(asBlob(file), fields);
    return sendByXhr(calls, form, { headers, onProgress, signal });
  }
  return sendStream(calls, streamOf(file, fields, onProgress), headers, signal);
}

export function formFields({ tags, folder, object }: ObjectFields): Record<string, string> {
  return {
    ...(tags && tags.length > 0 ? { tags: tags.join(',') } : {}),
    ...(folder ? { folder } : {}),
    ...(object ? { object } : {}),
  };
}

export function fileNameOf(file: FileSource, { fileName }: { fileName?: string | undefined }): string {
  return fileName ?? (typeof File === 'function' && file instanceof File ? file.name : 'file');
}

async function sendStream(
  calls: Calls,
  { body, contentType }: { body: ReadableStream<Uint8Array>; contentType: string },
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  const answer = await calls.read<StoredObject>('/upload/', {
    method: 'POST',
    body,
    headers: { ...headers, 'Content-Type': contentType },
    signal,
    repeatable: false,
  });
  return answer.body;
}
