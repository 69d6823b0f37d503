// The thread that owns the one writing connection: commits wait for the disk here, never in the HTTP process's event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteConnection, type SqlValue } from './sqlite-connection.ts';

export type WriterRequest = { id: number; sql: string; parameters: readonly SqlValue[] };
export type WriterReply =
  | { id: number; rows: unknown[]; changes: number }
  | { id: number; error: { message: string; code: string }; inTransaction: boolean };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');
const connection = openSqliteConnection((workerData as { file: string }).file, { readonly: false });

port.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(answer(request));
});

function answer({ id, sql, parameters }: WriterRequest): WriterReply {
  try {
    return { id, ...connection.run(sql, parameters) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { id, error: { message, code: code ?? 'UNKNOWN' }, inTransaction: connection.inTransaction };
  }
}
