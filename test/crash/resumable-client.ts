// A client of resumable uploads that breaks off where it is told, and knows exactly what it had sent by then.
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import type { Socket } from 'node:net';
import { operatorKey } from './api.ts';
import { bytesInFlight } from './in-flight.ts';

const pieceBytes = 256 * 1024;
const common = { Authorization: `Bearer ${operatorKey}`, 'Tus-Resumable': '1.0.0' };

export type Broken = {
  /** Where the upload stood, with all that was handed to the network since, and with all of it that was read. */
  sentTo: number;
  readTo: number;
};

export class ResumableClient {
  readonly #file: Buffer;
  /** Of the upload, without the host: that has another port after every start. */
  #path = '';

  constructor(file: Buffer) {
    this.#file = file;
  }

  async begin(url: string): Promise<void> {
    const response = await fetch(`${url}/upload/resumable`, {
      method: 'POST',
      headers: { ...common, 'Upload-Length': String(this.#file.length) },
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    this.#path = new URL(response.headers.get('location') as string).pathname;
  }

  async offset(url: string): Promise<number> {
    const response = await fetch(url + this.#path, { method: 'HEAD', headers: common });
    if (response.status !== 200) throw new Error(`HEAD: ${response.status}`);
    return Number(response.headers.get('upload-offset'));
  }

  async result(url: string): Promise<{ status: number; body: any }> {
    const response = await fetch(url + this.#path, { headers: common });
    return { status: response.status, body: await response.json() };
  }

  /** One request for all that is missing. The answer, or null when there was none. */
  async sendRest(url: string, offset: number): Promise<{ status: number; body: any } | null> {
    try {
      const response = await fetch(url + this.#path, {
        method: 'PATCH',
        headers: { ...common, ...this.#head(offset) },
        body: new Uint8Array(this.#file.buffer, this.#file.byteOffset + offset, this.#file.length - offset),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch {
      return null;
    }
  }

  /**
   * The same, but broken off after so many bytes: `freeze` stops the service in its tracks, so that what has been read
   * can be counted, and `strike` ends the matter.
   */
  async breakOff(
    url: string,
    {
      offset,
      after,
      freeze,
      strike,
    }: { offset: number; after: number; freeze: () => void; strike: () => Promise<void> },
  ): Promise<Broken> {
    const sending = request(url + this.#path, {
      method: 'PATCH',
      headers: { ...common, ...this.#head(offset), 'Content-Length': this.#file.length - offset },
    });
    sending.on('error', () => undefined);
    const [socket] = (await once(sending, 'socket')) as [Socket];
    let sentTo = offset;
    while (sentTo < offset + after) {
      const piece = this.#file.subarray(sentTo, Math.min(sentTo + pieceBytes, offset + after));
      await write(sending, piece);
      sentTo += piece.length;
    }
    freeze();
    const readTo = Math.max(offset, sentTo - bytesInFlight(socket));
    await strike();
    sending.destroy();
    return { sentTo, readTo };
  }

  #head(offset: number): Record<string, string> {
    return { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) };
  }
}

function write(sending: ClientRequest, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    sending.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}
