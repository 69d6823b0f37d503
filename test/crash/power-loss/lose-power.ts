// Writes what is left of the double's tree: everything durable and, of the rest, nothing or what chance decides. Bytes
// that were not synced may also be kept in part, sector by sector.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectorBytes } from '../model.ts';
import type { Random } from '../../support/random.ts';
import { type FolderNode, settle, type Truncation, withChanges, type Write } from './file-system-double.ts';

/** Without chance all that was not synced is lost. */
export function losePower(folder: FolderNode, path: string, random: Random | null): void {
  mkdirSync(path, { mode: 0o700 });
  // Settling takes it from the list, which is another list then.
  for (const naming of folder.pending) if (random?.chance(0.5)) settle(naming);
  for (const [name, node] of folder.durable) {
    const below = join(path, name);
    if (node.kind === 'folder') losePower(node, below, random);
    else {
      const kept = random ? node.pending.flatMap((change) => partOf(change, random)) : [];
      writeFileSync(below, withChanges(node.durable, kept), { mode: 0o600 });
    }
  }
}

function partOf(change: Write | Truncation, random: Random): (Write | Truncation)[] {
  const fate = random.between(0, 3);
  if (fate === 0) return [];
  if (fate === 1 || 'size' in change) return [change];
  const parts: Write[] = [];
  for (let at = 0; at < change.data.length; at += sectorBytes) {
    if (!random.chance(0.5)) continue;
    const data = change.data.subarray(at, at + sectorBytes);
    parts.push({ data, offset: change.offset + at, ended: change.ended });
  }
  return parts;
}
