// What the service must be holding, from what it acknowledged. An object has one possible state when its last change was
// answered, and several while an answer is missing; a look at the service after its restart settles which one it is.
import type { Random } from './random.ts';
import type { Upload } from './uploads.ts';

/** Null: there is no such object. */
export type State = Readonly<Omit<Upload, 'bytes' | 'objectId'> & { sizeBytes: number }> | null;
export type StoredAnswer = { object_id: string };
/** An upload sent under an Idempotency-Key, and its first answer once there was one. */
export type KeyedUpload = { key: string; upload: Upload; answer: StoredAnswer | null };

const keptKeys = 30;
const keptDeletedIds = 60;

export function stateAfter({ sha256, bytes, tags, folder, fileName }: Upload): Exclude<State, null> {
  return { sha256, sizeBytes: bytes.length, tags, folder, fileName };
}

export class Model {
  readonly #states = new Map<string, State[]>();
  readonly #busy = new Set<string>();
  /** Uploads without an answer whose id the service was to make. */
  readonly #nameless: Upload[] = [];
  /** Hashes of uploads that may have left bytes without an object. */
  readonly #orphans = new Set<string>();
  #deletedIds: string[] = [];
  answered: KeyedUpload[] = [];
  unanswered: KeyedUpload[] = [];
  acknowledged = 0;

  /** Every id with all it may be. */
  states(): ReadonlyMap<string, readonly State[]> {
    return this.#states;
  }

  /** Objects that exist for certain. */
  alive(): [string, Exclude<State, null>][] {
    return [...this.#states].flatMap(([id, [state, ...others]]) =>
      state && others.length === 0 ? [[id, state] as [string, Exclude<State, null>]] : [],
    );
  }

  uncertain(): string[] {
    return [...this.#states].filter(([, states]) => states.length > 1).map(([id]) => id);
  }

  deletedIds(): readonly string[] {
    return this.#deletedIds.filter((id) => !this.#states.has(id));
  }

  mayBeOrphan(hash: string): boolean {
    return this.#orphans.has(hash);
  }

  /** An object nobody else works on, for the time of the work. */
  async withObject(
    random: Random,
    work: (id: string, state: Exclude<State, null>) => Promise<void>,
  ): Promise<void> {
    const free = this.alive().filter(([id]) => !this.#busy.has(id));
    if (free.length === 0) return;
    const [id, state] = random.pick(free);
    await this.alone(id, () => work(id, state));
  }

  async alone(id: string, work: () => Promise<void>): Promise<void> {
    if (this.#busy.has(id)) throw new Error(`${id} is being worked on`);
    this.#busy.add(id);
    try {
      await work();
    } finally {
      this.#busy.delete(id);
    }
  }

  /** A change of a known id was sent: it may be in effect from now on. */
  begin(id: string, next: State): void {
    this.#states.set(id, [...(this.#states.get(id) ?? [null]), next]);
    if (next) this.#orphans.add(next.sha256);
  }

  beginNameless(upload: Upload): void {
    this.#nameless.push(upload);
    this.#orphans.add(upload.sha256);
  }

  acknowledge(id: string, state: State, options: { bytesMayRemain?: boolean } = {}): void {
    this.acknowledged += 1;
    this.settle(id, state, options);
  }

  acknowledgeNameless(id: string, upload: Upload): void {
    this.#nameless.splice(this.#nameless.indexOf(upload), 1);
    this.acknowledge(id, stateAfter(upload));
  }

  /** It was seen to be so. `bytesMayRemain` when the same bytes were sent twice. */
  settle(id: string, state: State, { bytesMayRemain = false } = {}): void {
    if (state) {
      this.#states.set(id, [state]);
      if (!bytesMayRemain) this.#orphans.delete(state.sha256);
    } else {
      this.#states.delete(id);
      this.#deletedIds = [...this.#deletedIds.filter((known) => known !== id), id].slice(-keptDeletedIds);
    }
  }

  /** The upload without an answer that this object must come from. */
  adopt(id: string, fileName: string): Exclude<State, null> | null {
    const upload = this.#nameless.find((lost) => lost.fileName === fileName);
    if (!upload) return null;
    this.#nameless.splice(this.#nameless.indexOf(upload), 1);
    const state = stateAfter(upload);
    this.settle(id, state);
    return state;
  }

  /** Whatever was not found by now is not there. */
  forgetNameless(): void {
    this.#nameless.length = 0;
  }

  rememberAnswer(keyed: KeyedUpload): void {
    this.answered = [...this.answered, keyed].slice(-keptKeys);
  }
}
