// Something cannot be shown: why, and what to do.
import { isRefusal } from '../../../client/src/index.ts';
import { sentence } from './sentence.ts';

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div className="state" role="alert">
      <h2>This cannot be shown</h2>
      <p>{sentence(error)}</p>
      {isRefusal(error) && error.requestId && (
        <p className="muted">
          Request <code>{error.requestId}</code>
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
