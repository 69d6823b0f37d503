// Multipart bodies written by hand, so that they can be wrong in ways no client library would send.

export type Part = {
  name: string;
  value: string | Buffer;
  fileName?: string;
  type?: string;
  rawHead?: string;
};

export const boundary = '----tintype-test-boundary';
export const multipartType = `multipart/form-data; boundary=${boundary}`;

export function multipart(parts: readonly Part[], { end = true }: { end?: boolean } = {}): Buffer {
  const chunks = parts.flatMap((part) => [partHead(part), Buffer.from(part.value), Buffer.from('\r\n')]);
  return Buffer.concat([...chunks, Buffer.from(end ? `--${boundary}--\r\n` : '')]);
}

export function partHead({ name, fileName, type, rawHead }: Omit<Part, 'value'>): Buffer {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  const disposition = rawHead ?? `Content-Disposition: form-data; name="${name}"${file}`;
  const kind = type ?? (fileName === undefined ? undefined : 'application/octet-stream');
  return Buffer.from(
    `--${boundary}\r\n${disposition}\r\n${kind === undefined ? '' : `Content-Type: ${kind}\r\n`}\r\n`,
  );
}

export function filePart(value: Buffer, fileName = 'picture.jpg'): Part {
  return { name: 'file', value, fileName };
}
