// An upload as prepared bytes, and its parts for uploads too large to prepare.
import { operatorKey } from './service.ts';

const boundary = '----tintype-bench-7f3a91c2';
const opening = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="picture.jpg"\r\n` +
    'Content-Type: image/jpeg\r\n\r\n',
);
const closing = Buffer.from(`\r\n--${boundary}--\r\n`);

export const multipart = {
  opening,
  closing,
  headers: (fileBytes: number): Record<string, string> => ({
    Authorization: `Bearer ${operatorKey}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(opening.length + fileBytes + closing.length),
  }),
};

export function uploadRequest(file: Buffer): Buffer {
  const headers = Object.entries(multipart.headers(file.length)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `POST /upload/ HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), opening, file, closing]);
}
