// What the service must be holding, from what it acknowledged. An object has one possible state when its last change was
// answered, and several while an answer is missing; a look at the service after its restart settles which one it is.
import type { Random } from '../support/random.ts';
import type { Upload } from './uploads.ts';

/** Null: there is no such object. */
export type State = Readonly<Omit<Upload, 'bytes' | 'objectId'> & { sizeBytes: number }> | null;
export type Living = [id: string, state: Exclude<State, null>];
export type StoredAnswer = { object_id: string };
/** An upload sent under an Idempotency-Key. */
export type KeyedUpload = { key: string; upload: Upload };

const keptKeys = 30;
const keptDeletedIds = 60;

export function stateAfter({ sha256, bytes, tags, folder, fileName }: Upload): Living[1] {
  return { sha256, sizeBytes: bytes.length, tags, folder, fileName };
}

export const sectorBytes = 512;

export class Model {
  readonly #states = new Map<string, State[]>();
  readonly #busy = new Set<string>();
  /** Uploads without an answer whose id the service was to make. */
  #nameless: Upload[] = [];
  /** Hashes of uploads that may have left bytes without an object. */
  readonly #orphans = new Map<string, Buffer>();
  readonly #sentTwice = new Map<string, Buffer>();
  #deletedIds: string[] = [];
  /** Keys with their first answers, and those that never had one. */
  #answered: (KeyedUpload & { answer: StoredAnswer })[] = [];
  #unanswered: KeyedUpload[] = [];
  acknowledged = 0;

  /** Every id with all it may be. */
  states(): ReadonlyMap<string, readonly State[]> {
    return this.#states;
  }

  /** Objects that exist for certain. */
  alive(): Living[] {
    return [...this.#states].flatMap(([id, [state, ...others]]) =>
      state && others.length === 0 ? [[id, state] satisfies Living] : [],
    );
  }

  uncertain(): string[] {
    return [...this.#states].filter(([, states]) => states.length > 1).map(([id]) => id);
  }

  deletedIds(): readonly string[] {
    return this.#deletedIds.filter((id) => !this.#states.has(id));
  }

  /** All or a part of something that was sent and never answered, or answered once though sent twice. */
  mayBeOrphan(bytes: Buffer): boolean {
    return [...this.#orphans.values(), ...this.#sentTwice.values()].some((sent) => isPartOf(bytes, sent));
  }

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** So many objects that nobody else works on, for the time of the work; none when there are not enough. */
  async withObjects(random: Random, count: number, work: (objects: Living[] & [Living]) => Promise<void>) {
    const free = this.alive().filter(([id]) => !this.#busy.has(id));
    if (free.length < count) return;
    const taken = random.shuffle(free).slice(0, count) as Living[] & [Living];
    const ids = taken.map(([id]) => id);
    await this.alone(ids, () => work(taken));
  }

  async alone(ids: readonly string[], work: () => Promise<void>): Promise<void> {
    for (const id of ids) {
      if (this.#busy.has(id)) throw new Error(`${id} is being worked on`);
      this.#busy.add(id);
    }
    try {
      await work();
    } finally {
      for (const id of ids) this.#busy.delete(id);
    }
  }

  /** A change of a known id was sent: it may be in effect from now on. */
  begin(id: string, next: State): void {
    this.#states.set(id, [...(this.#states.get(id) ?? [null]), next]);
  }

  beginUpload(upload: Upload): void {
    this.#orphans.set(upload.sha256, upload.bytes);
    if (upload.objectId === null) this.#nameless.push(upload);
    else this.begin(upload.objectId, stateAfter(upload));
  }

  /** Only one of the two becomes an object; the bytes of the other may stay for a while. */
  sendTwice(upload: Upload): void {
    this.#sentTwice.set(upload.sha256, upload.bytes);
  }

  acknowledge(id: string, state: State): void {
    this.acknowledged += 1;
    this.settle(id, state);
  }

  acknowledgeUpload(id: string, upload: Upload): void {
    this.#nameless = this.#nameless.filter((lost) => lost !== upload);
    this.acknowledge(id, stateAfter(upload));
  }

  /** It was seen to be so. */
  settle(id: string, state: State): void {
    if (state) {
      this.#states.set(id, [state]);
      this.#orphans.delete(state.sha256);
    } else {
      this.#states.delete(id);
      this.#deletedIds = [...this.#deletedIds.filter((known) => known !== id), id].slice(-keptDeletedIds);
    }
  }

  /** The upload without an answer that this object must come from. */
  adopt(id: string, fileName: string): Living[1] | null {
    const upload = this.#nameless.find((lost) => lost.fileName === fileName);
    if (!upload) return null;
    this.#nameless = this.#nameless.filter((lost) => lost !== upload);
    const state = stateAfter(upload);
    this.settle(id, state);
    return state;
  }

  /** Whatever was not found by now is not there. */
  forgetNameless(): void {
    this.#nameless = [];
  }

  beginKeyed(keyed: KeyedUpload): void {
    this.#unanswered.push(keyed);
  }

  acknowledgeKeyed(keyed: KeyedUpload, answer: StoredAnswer): void {
    this.#unanswered = this.#unanswered.filter((other) => other !== keyed);
    this.#answered = [...this.#answered, { ...keyed, answer }].slice(-keptKeys);
  }

  keyedUploads() {
    return { answered: this.#answered, unanswered: this.#unanswered };
  }
}

/** Written up to some point or, after a loss of power, with zeros where a sector did not reach the disk. */
function isPartOf(bytes: Buffer, whole: Buffer): boolean {
  if (bytes.length > whole.length) return false;
  for (let at = 0; at < bytes.length; at += sectorBytes) {
    const sector = bytes.subarray(at, at + sectorBytes);
    const isLost = sector.every((byte) => byte === 0);
    if (!isLost && !sector.equals(whole.subarray(at, at + sector.length))) return false;
  }
  return true;
}
