// Turns what the operating system reports into the errors the rest of the service knows.

import { constants } from 'node:os';
import { AppError } from '../errors.ts';

// By number: Node has no name for a full disk quota and reports an unknown system error.
const noRoomNumbers = new Set([-constants.errno.ENOSPC, -constants.errno.EDQUOT]);
// ENOTDIR: part of the path is a file, so nothing can be below it.
const absentCodes = new Set(['ENOENT', 'ENOTDIR']);

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function isAbsent(error: unknown): boolean {
  return absentCodes.has(systemCode(error) ?? '');
}

export function storageError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError(isOutOfRoom(error) ? 'disk_full' : 'internal', undefined, { cause: error });
}

/** Not here and not now: says nothing about what is stored. */
export function isStorageAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_unavailable';
}

function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && noRoomNumbers.has(Number(error.errno));
}

/** For a catch: the value when the thing is not there, the mapped error otherwise. */
export function absentOr<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return value;
    throw storageError(error);
  };
}
