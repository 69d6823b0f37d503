// Sends the same bytes in the same pieces over a connection of their own, and keeps everything that comes back and how the
// connection ended, so that two servers can be compared.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Spoken = {
  pieces: Buffer[];
  /** With the last piece; otherwise when nothing has come for a while. */
  hangsUpAtOnce: boolean;
};
export type Heard = { bytes: string; end: 'ended' | 'reset' | 'open' };

const betweenPiecesMs = 1;
const quietMs = 60;
const endMs = 1000;

export async function exchange(port: number, { pieces, hangsUpAtOnce }: Spoken): Promise<Heard> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let end: Heard['end'] = 'open';
  let heardAt = performance.now();
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    heardAt = performance.now();
  });
  socket.on('end', () => (end = 'ended'));
  socket.on('error', () => (end = 'reset'));
  await once(socket, 'connect');
  const isOver = (): boolean => end !== 'open' || socket.destroyed;
  for (const [index, piece] of pieces.entries()) {
    if (isOver()) break;
    if (index > 0) await pause(betweenPiecesMs);
    if (hangsUpAtOnce && index === pieces.length - 1) socket.end(piece);
    else socket.write(piece);
  }
  heardAt = performance.now();
  while (!isOver() && performance.now() - heardAt < quietMs) await pause(5);
  await hangUp(socket, isOver);
  return { bytes: comparable(Buffer.concat(chunks)), end };
}

async function hangUp(socket: Socket, isOver: () => boolean): Promise<void> {
  if (!socket.destroyed) socket.end();
  const givesUpAt = performance.now() + endMs;
  while (!isOver() && performance.now() < givesUpAt) await pause(2);
  socket.destroy();
}

/** All but the two values that are never the same. */
function comparable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/^(Date: )[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT(?=\r$)/gim, '$1…')
    .replaceAll(/^(X-Request-Id: )req_[\w-]{12}(?=\r$)/gim, '$1…');
}

/** As it is answered when there is no request to answer: the connection ends with it. */
const fault = /HTTP\/1\.1 4\d\d [^\r]+\r\nContent-Type: application\/json; charset=utf-8\r\n[^]*$/;

/**
 * Byte for byte, but for what depends on the packets it came in. Who is still sending when the other side ends may be reset
 * for it. After an answer that ends the connection a fault may still be answered or not. And a fault overtakes answers to
 * what was sent before it: those that came must be the first ones all the same.
 */
export function isSame(one: Heard, other: Heard, { pieces }: Spoken): boolean {
  const endOf = ({ end }: Heard): string => (pieces.length > 1 && end === 'reset' ? 'ended' : end);
  if (endOf(one) !== endOf(other)) return false;
  const [shorter, longer] = [takeApart(one), takeApart(other)].sort(
    (left, right) => left.answers.length - right.answers.length,
  ) as [Apart, Apart];
  if (shorter.answers === longer.answers) return shorter.fault === longer.fault;
  const overtook = shorter.fault !== '' && (longer.isLast || longer.fault === shorter.fault);
  return overtook && longer.answers.startsWith(`${shorter.answers}HTTP/1.1 `);
}

type Apart = { answers: string; fault: string; isLast: boolean };

function takeApart({ bytes }: Heard): Apart {
  const found = fault.exec(bytes);
  const answers = found ? bytes.slice(0, found.index) : bytes;
  const isLast = /\r\nConnection: close\r\n/i.test(answers);
  return { answers, fault: isLast ? '' : (found?.[0] ?? ''), isLast };
}
