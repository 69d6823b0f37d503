// What a disk holds when the power fails, by the strictest reading of POSIX: bytes of a file since its last fsync may be
// lost in part, and names in a folder since that folder's. Fed with the system calls of a process, in their order.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Ended at this line of the trace: a sync that began later covers it. */
type Change = { ended: number };
export type Write = Change & { offset: number; data: Buffer };
export type Truncation = Change & { size: number };
export type FileNode = { kind: 'file'; durable: Buffer; pending: (Write | Truncation)[]; size: number };
/** A rename changes two names at once, in one folder or in two. */
type Naming = Change & { names: { folder: FolderNode; name: string; node: Node | null }[] };
export type FolderNode = {
  kind: 'folder';
  durable: Map<string, Node>;
  pending: Naming[];
  now: Map<string, Node>;
};
export type Node = FileNode | FolderNode;

export class FileSystemDouble {
  readonly #root: string;
  readonly tree: FolderNode;

  /** Begins with what the folder holds, all of it durable. */
  constructor(root: string) {
    this.#root = root;
    this.tree = readFolder(root);
  }

  find(path: string): Node | undefined {
    let node: Node | undefined = this.tree;
    for (const name of this.#namesOf(path)) node = node?.kind === 'folder' ? node.now.get(name) : undefined;
    return node;
  }

  file(path: string): FileNode | undefined {
    const node = this.find(path);
    return node?.kind === 'file' ? node : undefined;
  }

  create(path: string, ended: number): void {
    if (!this.find(path))
      this.#name(path, { kind: 'file', durable: Buffer.alloc(0), pending: [], size: 0 }, ended);
  }

  makeFolder(path: string, ended: number): void {
    this.#name(path, { kind: 'folder', durable: new Map(), pending: [], now: new Map() }, ended);
  }

  link(from: string, to: string, ended: number): void {
    this.#name(to, this.find(from) ?? null, ended);
  }

  remove(path: string, ended: number): void {
    this.#name(path, null, ended);
  }

  rename(from: string, to: string, ended: number): void {
    const node = this.find(from) ?? null;
    this.#change([this.#placeOf(from, null), this.#placeOf(to, node)], ended);
  }

  write(file: FileNode, write: Write): void {
    file.pending.push(write);
    file.size = Math.max(file.size, write.offset + write.data.length);
  }

  truncate(file: FileNode, truncation: Truncation): void {
    file.pending.push(truncation);
    file.size = truncation.size;
  }

  /** Makes durable what had ended when the sync began. */
  sync(path: string, begun: number): void {
    const node = this.find(path);
    if (!node) return;
    if (node.kind === 'file') {
      node.durable = withChanges(node.durable, covered(node.pending, begun));
      node.pending = node.pending.filter(({ ended }) => ended >= begun);
    } else for (const naming of covered(node.pending, begun)) settle(naming);
  }

  #name(path: string, node: Node | null, ended: number): void {
    this.#change([this.#placeOf(path, node)], ended);
  }

  #change(names: Naming['names'], ended: number): void {
    const naming = { names, ended };
    for (const { folder, name, node } of names) {
      if (node) folder.now.set(name, node);
      else folder.now.delete(name);
      if (!folder.pending.includes(naming)) folder.pending.push(naming);
    }
  }

  #placeOf(path: string, node: Node | null): Naming['names'][number] {
    const folder = this.find(dirname(path));
    if (folder?.kind !== 'folder') throw new Error(`${path} has no folder`);
    return { folder, name: basename(path), node };
  }

  #namesOf(path: string): string[] {
    if (path !== this.#root && !path.startsWith(`${this.#root}/`)) throw new Error(`${path} is elsewhere`);
    return path.slice(this.#root.length).split('/').filter(Boolean);
  }
}

export function settle(naming: Naming): void {
  for (const { folder, name, node } of naming.names) {
    if (node) folder.durable.set(name, node);
    else folder.durable.delete(name);
    folder.pending = folder.pending.filter((other) => other !== naming);
  }
}

export function withChanges(bytes: Buffer, changes: readonly (Write | Truncation)[]): Buffer {
  let result = Buffer.from(bytes);
  for (const change of changes) {
    const size = 'size' in change ? change.size : Math.max(result.length, change.offset + change.data.length);
    if (size !== result.length) result = Buffer.concat([result, Buffer.alloc(size)], size);
    if ('data' in change) change.data.copy(result, change.offset);
  }
  return result;
}

function covered<T extends Change>(changes: readonly T[], begun: number): T[] {
  return changes.filter(({ ended }) => ended < begun);
}

function readFolder(path: string): FolderNode {
  const durable = new Map<string, Node>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    durable.set(entry.name, entry.isDirectory() ? readFolder(below) : readFile(below));
  }
  return { kind: 'folder', durable, pending: [], now: new Map(durable) };
}

function readFile(path: string): FileNode {
  const durable = readFileSync(path);
  return { kind: 'file', durable, pending: [], size: durable.length };
}
