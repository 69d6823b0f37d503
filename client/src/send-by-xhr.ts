// A form sent by a browser's XMLHttpRequest, which alone tells there how much has been sent.
import type { StoredObject } from './api.ts';
import type { Calls, CallOptions } from './calls.ts';
import { ConnectionError, refusal } from './errors.ts';
import type { Progress } from './upload-body.ts';

/** What is used of it: most runtimes have none, and their types neither. */
type Xhr = {
  readonly upload: {
    onprogress: (event: { loaded: number; total: number; lengthComputable: boolean }) => void;
  };
  onload: () => void;
  onerror: () => void;
  onloadend: () => void;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
};

export const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr };

type SendOptions = CallOptions & {
  readonly headers: Readonly<Record<string, string>>;
  readonly onProgress: (progress: Progress) => void;
};

export function sendByXhr(
  calls: Calls,
  form: FormData,
  { headers, onProgress, signal }: SendOptions,
): Promise<StoredObject> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest!();
    const leave = (): void => {
      request.abort();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    request.onloadend = () => signal?.removeEventListener('abort', leave);
    request.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      onProgress({ sentBytes: loaded, totalBytes: lengthComputable ? total : null });
    request.onerror = () => reject(new ConnectionError('The service cannot be reached, or the line broke'));
    request.onload = () => {
      const head = { get: (name: string) => request.getResponseHeader(name) };
      try {
        if (request.status === 200) return resolve(JSON.parse(request.responseText) as StoredObject);
      } catch {
        // Something in between answered.
      }
      reject(refusal(request.status, head, request.responseText));
    };
    request.open('POST', calls.address('/upload/'));
    for (const [name, value] of Object.entries(calls.headers(headers))) request.setRequestHeader(name, value);
    request.send(form);
  });
}
