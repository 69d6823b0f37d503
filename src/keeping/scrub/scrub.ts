// Reads every stored file and compares it with what it should be, beside a running service. It can be stopped at any
// moment and goes on from the last state it told of.
import { forEachAtOnce } from '../at-once.ts';
import { checkBuckets } from './check-buckets.ts';
import { checkCopies } from './check-copies.ts';
import { checkObject } from './check-object.ts';
import { checkVariants } from './check-variants.ts';
import { findUnnamed } from './find-unnamed.ts';
import type { ScrubParts } from './scrub-parts.ts';

const phases = ['objects', 'buckets', 'copies', 'variants', 'unnamed'] as const;
const objectsAtOnce = 4;
const pageSize = 100;

export type ScrubState = {
  readonly phase: (typeof phases)[number];
  /** The last object that was checked. */
  readonly after: string;
};

export const scrubStart: ScrubState = { phase: 'objects', after: '' };

export async function scrubAll(
  parts: ScrubParts,
  from: ScrubState,
  { signal, onState }: { signal: AbortSignal; onState: (state: ScrubState) => Promise<void> },
): Promise<void> {
  for (const phase of phases.slice(phases.indexOf(from.phase))) {
    signal.throwIfAborted();
    if (phase === 'objects') await checkObjects(parts, from.after, { signal, onState });
    else {
      await onState({ phase, after: '' });
      if (phase === 'buckets') await checkBuckets(parts);
      else if (phase === 'unnamed') await findUnnamed(parts);
      else if (phase === 'copies') await checkCopies(parts);
      else if (parts.only === null) await checkVariants(parts);
    }
  }
}

async function checkObjects(
  parts: ScrubParts,
  from: string,
  { signal, onState }: { signal: AbortSignal; onState: (state: ScrubState) => Promise<void> },
): Promise<void> {
  for (let after = from; ;) {
    const page = await parts.database.read
      .selectFrom('objects')
      .selectAll()
      .where('generation', '>', after)
      .$if(parts.only !== null, (query) => query.where('backend', '=', parts.only as 'files' | 'storage'))
      .orderBy('generation')
      .limit(pageSize)
      .execute();
    const last = page.at(-1);
    if (!last) return;
    await forEachAtOnce(page, objectsAtOnce, (object) => checkObject(parts, object));
    after = last.generation;
    await onState({ phase: 'objects', after });
    signal.throwIfAborted();
  }
}
