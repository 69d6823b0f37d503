// An honest upload over a slow line: the same number of bytes every moment, for as long as it takes.
import { setTimeout as pause } from 'node:timers/promises';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { head, openSocket, type RawAnswer, readAnswer } from '../support/raw-http.ts';

const everyMs = 100;

/** The file is whatever it is given and zeros behind it, up to the size. */
export async function steadyUpload(
  url: string,
  { picture, sizeBytes, bytesPerSecond }: { picture: Buffer; sizeBytes: number; bytesPerSecond: number },
): Promise<{ answer: RawAnswer; seconds: number }> {
  const file = Buffer.concat([picture, Buffer.alloc(sizeBytes - picture.length)]);
  const body = multipart([filePart(file)]);
  const pieceBytes = Math.ceil((bytesPerSecond * everyMs) / 1000);
  const startedAt = performance.now();
  const socket = await openSocket({ url });
  const reading = readAnswer(socket, 300_000);
  let isAnswered = false;
  void reading.then(
    () => (isAnswered = true),
    () => (isAnswered = true),
  );
  socket.write(head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }));
  for (let at = 0; at < body.length && !isAnswered; at += pieceBytes) {
    socket.write(body.subarray(at, at + pieceBytes));
    await pause(startedAt + (at / pieceBytes + 1) * everyMs - performance.now());
  }
  const answer = await reading;
  socket.destroy();
  return { answer, seconds: (performance.now() - startedAt) / 1000 };
}
