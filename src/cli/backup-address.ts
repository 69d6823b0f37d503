// A backup lies in a folder, which people name by its path, or in a store, which has an address.
import { resolve } from 'node:path';

export function backupAddress(place: string): string {
  return /^(file:|s3:\/\/)/.test(place) ? place : `file:${resolve(place)}`;
}
