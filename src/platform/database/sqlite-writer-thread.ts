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

port.on('message', (requests: WriterRequest[] | 'close') => {
  if (requests === 'close') {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(requests.map(answer));
});

function answer({ id, sql, parameters }: WriterRequest): WriterReply {
  try {
    // Statements are sent before the answers to those they build on are known: without a transaction each would commit itself.
    if (!connection.inTransaction && !sql.startsWith('BEGIN')) throw new Error('There is no transaction');
    const { rows, changes } = connection.run(sql, parameters);
    return { id, rows, changes };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { id, error: { message, code: code ?? 'UNKNOWN' }, inTransaction: connection.inTransaction };
  }
}
