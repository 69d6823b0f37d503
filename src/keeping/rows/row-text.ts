// A row as one line of text that is the same whichever engine it came from, and a checksum over many such lines that does
// not depend on their order.
import { hash } from 'node:crypto';
import type { StatementValue } from '../../platform/database/statement.ts';
import type { Row } from './table-shape.ts';

type BytesInText = { $bytes: string };

export function printRow(row: Row): string {
  const columns = Object.keys(row).sort();
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, printed(row[column] ?? null)])));
}

export function parseRow(line: string): Row {
  const row = JSON.parse(line) as Record<string, StatementValue | BytesInText>;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, isBytes(value) ? bytesOf(value) : value]),
  );
}

function printed(value: StatementValue): string | number | null | BytesInText {
  if (!(value instanceof Uint8Array)) return value;
  return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
}

function isBytes(value: StatementValue | BytesInText): value is BytesInText {
  return typeof value === 'object' && value !== null && '$bytes' in value;
}

/** A buffer of its own: one from Node's shared pool would travel to other threads whole. */
function bytesOf({ $bytes: text }: BytesInText): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

export class RowChecksum {
  #count = 0;
  #sum = 0n;

  add(line: string): void {
    this.#count += 1;
    this.#sum = BigInt.asUintN(128, this.#sum + BigInt(`0x${hash('sha256', line, 'hex').slice(0, 32)}`));
  }

  get count(): number {
    return this.#count;
  }

  toString(): string {
    return this.#sum.toString(16).padStart(32, '0');
  }
}
