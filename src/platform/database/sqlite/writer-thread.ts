// The thread that owns the one writing connection: commits wait for the disk here, never in the HTTP process's event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteConnection, type SqlResult, type SqlValue } from './connection.ts';

export type WriterStatement = { sql: string; parameters: readonly SqlValue[] };
/**
 * A batch is sent for every upload, so its statements are small: the text goes along only the first time, and is known by
 * its number from then on.
 */
export type BatchStatement = readonly [
  number: number,
  text: string | null,
  mustChange: boolean,
  parameters: readonly SqlValue[],
];
export type WriterRequest = { id: number } & (WriterStatement | { batch: readonly BatchStatement[] });
export type WriterReply =
  | { id: number; rows: unknown[]; changes: number }
  /** The batch was undone because this one of its statements changed nothing. */
  | { id: number; refusedBy: number }
  | { id: number; error: { message: string; code: string }; inTransaction: boolean };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');
const connection = openSqliteConnection((workerData as { file: string }).file, { readonly: false });
const texts: string[] = [];

port.on('message', (requests: WriterRequest[] | 'close') => {
  if (requests === 'close') {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(requests.map(answer));
});

function answer(request: WriterRequest): WriterReply {
  const { id } = request;
  try {
    if ('batch' in request) return { id, ...runBatch(request.batch) };
    const { rows, changes } = run(request);
    return { id, rows, changes };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { id, error: { message, code: code ?? 'UNKNOWN' }, inTransaction: connection.inTransaction };
  }
}

function runBatch(batch: readonly BatchStatement[]): { refusedBy: number } | SqlResult {
  // All of them before any runs: one that fails must not keep those behind it from being known.
  for (const [number, text] of batch) if (text !== null) texts[number] = text;
  command('SAVEPOINT batch');
  try {
    const refusedBy = batch.findIndex(([number, , mustChange, parameters]) => {
      const { changes } = run({ sql: texts[number] as string, parameters });
      return changes === 0 && mustChange;
    });
    if (refusedBy !== -1) command('ROLLBACK TO batch');
    command('RELEASE batch');
    return refusedBy === -1 ? { rows: [], changes: 0 } : { refusedBy };
  } catch (error) {
    // A full disk may have undone everything already.
    if (connection.inTransaction) {
      command('ROLLBACK TO batch');
      command('RELEASE batch');
    }
    throw error;
  }
}

function command(sql: string): void {
  run({ sql, parameters: [] });
}

function run({ sql, parameters }: WriterStatement): SqlResult {
  // Statements are sent before the answers to those they build on are known: without a transaction each would commit itself.
  if (!connection.inTransaction && !sql.startsWith('BEGIN')) throw new Error('There is no transaction');
  return connection.run(sql, parameters);
}
