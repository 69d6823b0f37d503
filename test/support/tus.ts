// Resumable uploads for tests: by the client people use, and by single requests that may be wrong in any way.
import { Upload, type UploadOptions } from 'tus-js-client';
import { operatorKey, type TestServer } from './server.ts';

export type TusAnswer = { url: string; status: number; body: any };

type Options = Partial<UploadOptions> & { key?: string };

/** Resolves when the client says that it is done. */
export function tusUpload(endpoint: string, file: Buffer, options: Options = {}): Promise<TusAnswer> {
  const { key = operatorKey, ...rest } = options;
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint,
      retryDelays: null,
      headers: { Authorization: `Bearer ${key}` },
      ...rest,
      onError: reject,
      onSuccess: ({ lastResponse }) => {
        const text = lastResponse.getBody();
        resolve({
          url: upload.url as string,
          status: lastResponse.getStatus(),
          body: text === '' ? null : JSON.parse(text),
        });
      },
    });
    upload.start();
  });
}

export type TusRequest = {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: Buffer;
};

export type TusReply = { status: number; headers: Headers; body: any };

/** One request, with the headers every one needs; the path may be a whole address. */
export async function tusRequest(
  server: Pick<TestServer, 'call'>,
  path: string,
  { method = 'HEAD', key, headers = {}, body }: TusRequest = {},
): Promise<TusReply> {
  const answer = await server.call(path, {
    method,
    headers: {
      'Tus-Resumable': '1.0.0',
      ...(method === 'PATCH' ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
      ...headers,
    },
    ...(body ? { body: new Uint8Array(body) } : {}),
    ...(key === undefined ? {} : { key }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
}

/** The value of `Upload-Metadata`. */
export function tusMetadata(values: Record<string, string | Buffer>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value as string).toString('base64')}`)
    .join(',');
}

/** Begins an upload and gives its address. */
export async function beginUpload(
  server: Pick<TestServer, 'call'>,
  length: number,
  { key, metadata = {} }: { key?: string; metadata?: Record<string, string | Buffer> } = {},
): Promise<TusReply & { url: string }> {
  const given = Object.keys(metadata).length > 0 ? { 'Upload-Metadata': tusMetadata(metadata) } : {};
  const answer = await tusRequest(server, '/upload/resumable', {
    method: 'POST',
    headers: { 'Upload-Length': String(length), ...given },
    ...(key === undefined ? {} : { key }),
  });
  return { ...answer, url: answer.headers.get('location') ?? '' };
}

export function sendBytes(
  server: Pick<TestServer, 'call'>,
  url: string,
  body: Buffer,
  { offset = 0, key }: { offset?: number; key?: string } = {},
): Promise<TusReply> {
  const headers = { 'Upload-Offset': String(offset) };
  return tusRequest(server, url, { method: 'PATCH', headers, body, ...(key === undefined ? {} : { key }) });
}
