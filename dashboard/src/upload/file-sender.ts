// Sends files by the resumable protocol, with Uppy: several at once, paused and resumed, and over broken lines.
import { Uppy } from '@uppy/core';
import Tus from '@uppy/tus';
import { DefaultHttpStack, type HttpRequest } from 'tus-js-client';
import type { StoredObject } from '../../../client/src/index.ts';
import { pageHeaders } from '../api.ts';
import { leaveSession } from '../session.ts';
import type { BatchFields, Upload } from './uploads.ts';

export type FileSender = {
  add(id: string, file: File, fields: BatchFields): void;
  pause(id: string): void;
  resume(id: string): void;
  retry(id: string): void;
  remove(id: string): void;
};
type Listener = {
  readonly change: (id: string, part: Partial<Upload>) => void;
  readonly done: (id: string, object: StoredObject) => void;
};
type Meta = { uploadId: string; relativePath: string; tags: string; folder: string };
type Body = { xhr: XMLHttpRequest };

const atOnce = 3;
/** What went wrong is shown in the list. */
const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };
/** Sent again, they would be refused again. */
const finalStatuses = new Set([400, 413, 415, 422]);
const retryDelays = [0, 1000, 3000, 5000, 10_000, 20_000];

/** The service names uploads by its public address; this page may have reached it by another, where its cookie is. */
class OwnOrigin extends DefaultHttpStack {
  override createRequest(method: string, url: string): HttpRequest {
    return super.createRequest(method, new URL(url, location.href).pathname);
  }
}

export function createFileSender({ change, done }: Listener): FileSender {
  const uppy = new Uppy<Meta, Body>({ autoProceed: true, logger: silent });
  const uppyIds = new Map<string, string>();
  uppy.use(Tus, {
    endpoint: '/upload/resumable',
    headers: pageHeaders,
    httpStack: new OwnOrigin({}),
    // Those that every file has: one that is missing would be sent as the word undefined.
    allowedMetaFields: ['name', 'type', 'tags', 'folder'],
    limit: atOnce,
    retryDelays,
    removeFingerprintOnSuccess: true,
  });
  uppy.on('upload-start', (files) => {
    for (const { meta } of files) change(meta.uploadId, { state: 'sending', error: null });
  });
  uppy.on('upload-progress', (file, { bytesUploaded }) => {
    if (file) change(file.meta.uploadId, { sentBytes: bytesUploaded || 0 });
  });
  uppy.on('upload-success', (file, { body }) => {
    if (file && body) done(file.meta.uploadId, JSON.parse(body.xhr.responseText) as StoredObject);
  });
  uppy.on('upload-error', (file, _error, response) => {
    if (!file) return;
    if (response?.status === 401) leaveSession('ended');
    const canRetry = !finalStatuses.has(response?.status ?? 0);
    change(file.meta.uploadId, { state: 'failed', error: reason(response), canRetry });
  });

  const withFile = (id: string, act: (uppyId: string) => unknown): void => {
    const uppyId = uppyIds.get(id);
    if (uppyId !== undefined && uppy.getFile(uppyId)) act(uppyId);
  };
  const setPaused = (id: string, isPaused: boolean): void =>
    withFile(id, (uppyId) => {
      if ((uppy.getFile(uppyId).isPaused ?? false) !== isPaused) uppy.pauseResume(uppyId);
      change(id, { state: isPaused ? 'paused' : 'sending' });
    });
  return {
    add(id, file, { tags, folder }) {
      // Uppy takes files of the same name, size and path for one; two folders may hold the same.
      const meta = { uploadId: id, relativePath: id, tags: tags.join(','), folder };
      uppyIds.set(id, uppy.addFile({ name: file.name, type: file.type, data: file, meta, source: id }));
    },
    pause: (id) => setPaused(id, true),
    resume: (id) => setPaused(id, false),
    retry: (id) => withFile(id, (uppyId) => void uppy.retryUpload(uppyId)),
    remove: (id) => withFile(id, (uppyId) => uppy.removeFile(uppyId)),
  };
}

function reason(response: { status: number; body?: Body } | undefined): string {
  if (!response || response.status === 0)
    return 'The line broke, and several tries did not help. Check your connection, then try again: it goes on where it stopped.';
  if (response.status === 401)
    return 'Your session has ended. Sign in and try again: it goes on where it stopped.';
  try {
    return (JSON.parse(response.body?.xhr.responseText ?? '') as { error: string }).error;
  } catch {
    return `The service answered ${response.status}. Try again in a moment.`;
  }
}
