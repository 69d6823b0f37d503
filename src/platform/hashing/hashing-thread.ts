// The thread that computes SHA-256, of as many files at a time as are coming in.
import { createHash, type Hash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

export type HashThreadData = { memory: SharedArrayBuffer; slotBytes: number };
export type HashOrder =
  | { id: number; slot: number; bytes: number }
  | { id: number; end: 'digest' | 'forget' };
export type HashReply = { freed: number[]; digests: [id: number, digest: string][] };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');
const { memory, slotBytes } = workerData as HashThreadData;
const hashes = new Map<number, Hash>();

port.on('message', (orders: HashOrder[]) => {
  const reply: HashReply = { freed: [], digests: [] };
  for (const order of orders) obey(order, reply);
  port.postMessage(reply);
});

function obey(order: HashOrder, { freed, digests }: HashReply): void {
  const { id } = order;
  const hash = hashes.get(id) ?? createHash('sha256');
  if ('slot' in order) {
    hashes.set(id, hash);
    hash.update(Buffer.from(memory, order.slot * slotBytes, order.bytes));
    freed.push(order.slot);
    return;
  }
  if (order.end === 'digest') digests.push([id, hash.digest('hex')]);
  hashes.delete(id);
}
