// Writes the head and the body of an answer as one. Small ones are copied together, because one write of one buffer costs
// less than the lists that a gathering write needs.
import type { Socket } from 'node:net';

const gatheredBytes = 64 * 1024;
let gathered = Buffer.allocUnsafeSlow(gatheredBytes);

export function writeAtOnce(socket: Socket, head: string, body: Buffer, written: () => void): void {
  if (head.length + body.length > gatheredBytes) {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body, written);
    socket.uncork();
    return;
  }
  const headLength = gathered.write(head, 'latin1');
  body.copy(gathered, headLength);
  socket.write(gathered.subarray(0, headLength + body.length), written);
  // What the system did not take at once is still read from this buffer.
  if (socket.writableLength > 0) gathered = Buffer.allocUnsafeSlow(gatheredBytes);
}
