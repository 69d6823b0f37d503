// Something is on its way; after a moment with what keeps it.
import { sentence } from './sentence.ts';

export function Loading({ what, error = null }: { what: string; error?: Error | null }) {
  return (
    <div className="state" role="status">
      <span className="spinner" aria-hidden="true" />
      <p>{error ? `${sentence(error)} Trying again …` : `Loading ${what} …`}</p>
    </div>
  );
}
