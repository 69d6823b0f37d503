// The thread that answers questions about pictures, one after another, on a connection of its own: what takes tens of
// milliseconds must not stop the event loop.
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { IndexReply, IndexRequest, IndexThreadData } from './index-protocol.ts';
import { openNearest } from './nearest.ts';
import { openVectorOf } from './vector-of.ts';
import { openWithWords } from './words.ts';

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');
const { file, maxCodeBytes } = workerData as IndexThreadData;
const sqlite = new Sqlite(file, { readonly: true, timeout: 5000 });
sqlite.pragma('cache_size = -32768');
const nearest = openNearest(sqlite, maxCodeBytes);
const withWords = openWithWords(sqlite);
const vectorOf = openVectorOf(sqlite);
const count = sqlite.prepare('select count(*) from vectors where account_id = ? and model = ?').pluck();
/** One view of the database for all that a question reads. */
const consistently = sqlite.transaction((request: IndexRequest) => answer(request));

port.on('message', (request: IndexRequest | 'close') => {
  if (request === 'close') {
    sqlite.close();
    port.close();
    return;
  }
  port.postMessage(reply(request));
});

function reply(request: IndexRequest): IndexReply {
  try {
    return { id: request.id, answer: consistently(request) };
  } catch (error) {
    return { id: request.id, error: (error as Error).message };
  }
}

function answer({ kind, ask }: IndexRequest): unknown {
  switch (kind) {
    case 'nearest':
      return nearest(ask);
    case 'withWords':
      return withWords(ask);
    case 'vectorOf':
      return vectorOf(ask.generation);
    case 'count':
      return count.get(ask.accountId, ask.model);
  }
}
