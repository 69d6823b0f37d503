// One request of the tus protocol, answered by its reference implementation. The library is asked anew for each request,
// because its hooks know nothing of the caller, and it never sees the bytes: the four streams it would put between the
// connection and the storage lose what they hold when the line breaks.
import type { DataStore, Upload } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import type { Metadata } from './plan-upload.ts';

export const tusVersion = '1.0.0';
const extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];
const passedOn = [
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-defer-length',
  'upload-concat',
];
const bodyHeaders = ['content-type', 'content-length'];

export type TusUpload = { lengthBytes: number; receivedBytes: number; metadata: Metadata };

/** What the protocol asks of us. */
export type TusHandlers = {
  uploadId: string;
  /** Throws what is wrong with it. */
  create(upload: TusUpload): Promise<void>;
  find(): Promise<TusUpload>;
  /** Takes the body of the request, and resolves with how many bytes the upload then has. */
  write(): Promise<number>;
  remove(): Promise<void>;
  /** All bytes have come. */
  finish(): Promise<{ status_code?: number }>;
  locationOf(uploadId: string): string;
};

/** Rejects with an AppError whatever the library objects to. */
export async function askTus(request: FastifyRequest, handlers: TusHandlers): Promise<Response> {
  const { Server, DataStore: Store, Upload: Found } = await import('@tus/server');
  const { uploadId } = handlers;
  const server = new Server({
    path: '/upload/resumable',
    datastore: storeOf(new Store(), Found, handlers),
    // The rows of the database lock, and better: for all machines, and also after a crash.
    locker: { newLock: () => ({ lock: async () => undefined, unlock: async () => undefined }) },
    namingFunction: () => uploadId,
    getFileIdFromRequest: () => uploadId,
    generateUrl: () => handlers.locationOf(uploadId),
    onUploadCreate: async (_request, upload) => {
      await handlers.create(facts(upload));
      return {};
    },
    onUploadFinish: () => handlers.finish(),
    onResponseError: (_request, error) => {
      throw toOurError(error);
    },
  });
  const response = await server.handleWeb(withoutBody(request));
  if (response.status >= 400) throw toOurError({ status_code: response.status, body: await response.text() });
  return response;
}

function storeOf(store: DataStore, Found: typeof Upload, handlers: TusHandlers): DataStore {
  const { uploadId: id } = handlers;
  return Object.assign(store, {
    extensions,
    // It would count from the creation; we count from the last byte, and say so ourselves.
    getExpiration: () => 0,
    create: async (upload: Upload) => upload,
    remove: () => handlers.remove(),
    async getUpload() {
      const { lengthBytes, receivedBytes, metadata } = await handlers.find();
      const told = Object.keys(metadata).length > 0 ? { metadata: { ...metadata } } : {};
      return new Found({ id, size: lengthBytes, offset: receivedBytes, ...told });
    },
    async write(nothing: NodeJS.ReadableStream) {
      nothing.resume();
      return handlers.write();
    },
  });
}

function facts({ size, offset, metadata }: Upload): TusUpload {
  return { lengthBytes: size as number, receivedBytes: offset, metadata: metadata ?? {} };
}

/** Only what the protocol is about: the library also judges headers that proxies add. */
function withoutBody({ method, headers }: FastifyRequest): Request {
  const passed = new Headers({ 'tus-resumable': tusVersion });
  for (const name of [...passedOn, ...(method === 'PATCH' || method === 'POST' ? bodyHeaders : [])]) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  return new Request('http://tus/upload/resumable', { method, headers: passed });
}

const codes: Record<number, ErrorCode> = {
  404: 'upload_not_found',
  409: 'offset_conflict',
  410: 'upload_not_found',
};
const unsupported = /^(Concatenation|creation-defer-length)/i;

/** The library throws plain objects with a status and a text, and has the last word on the headers. */
function toOurError(error: unknown): unknown {
  const { status_code: status, body = '' } = error as { status_code?: number; body?: string };
  if (error instanceof AppError || status === undefined) return error;
  const code = codes[status];
  if (code) return new AppError(code);
  if (status === 413)
    return new AppError('file_too_large', 'More bytes came than the upload was said to have');
  if (unsupported.test(body))
    return new AppError(
      'bad_request',
      'Say the length of the upload when it begins, and send it as one upload: parallel ones are not supported',
    );
  const [, names] = /^Invalid ([a-z -]+)\n$/.exec(body) ?? [];
  if (names)
    return new AppError('bad_request', `These headers are not valid: ${names.split(' ').join(', ')}`);
  if (status < 500) return new AppError('bad_request', body.trim().split('. ', 1)[0]);
  return new AppError('internal', undefined, { cause: error });
}
