// All uploads with their progress, and of all together.
import { count } from '../parts/units.ts';
import { UploadRow } from './upload-row.tsx';
import { clearDone, pause, resume, retry, type Upload } from './uploads.ts';

export function UploadList({ uploads }: { uploads: readonly Upload[] }) {
  const ofState = (state: Upload['state']): readonly Upload[] =>
    uploads.filter((upload) => upload.state === state);
  const [done, failed, paused] = [ofState('done'), ofState('failed'), ofState('paused')];
  const again = failed.filter(({ canRetry }) => canRetry);
  const active = uploads.filter(({ state }) => state === 'sending' || state === 'waiting');
  const each = (list: readonly Upload[], act: (id: string) => Promise<void>) => () => {
    for (const { id } of list) void act(id);
  };
  return (
    <section className="card" aria-label="Uploads">
      <div className="row spread">
        <p role="status">{summary(uploads.length, done.length, failed.length)}</p>
        <div className="row">
          {active.some(({ totalBytes }) => totalBytes !== null) && (
            <button type="button" className="small" onClick={each(active, pause)}>
              Pause all
            </button>
          )}
          {paused.length > 0 && (
            <button type="button" className="small" onClick={each(paused, resume)}>
              Resume all
            </button>
          )}
          {again.length > 1 && (
            <button type="button" className="small" onClick={each(again, retry)}>
              Try all again
            </button>
          )}
          {done.length > 0 && (
            <button type="button" className="small quiet" onClick={clearDone}>
              Clear what is done
            </button>
          )}
        </div>
      </div>
      <progress value={share(uploads)} aria-label="All uploads" />
      <ul className="uploads">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function summary(all: number, done: number, failed: number): string {
  const faults = failed > 0 ? `, ${failed} not` : '';
  if (done + failed === all) return `${count(done, 'file')} uploaded${faults}.`;
  return `${done} of ${count(all, 'file')} uploaded${faults}`;
}

/** By bytes; what the service fetches counts as much as a file of middling size. */
function share(uploads: readonly Upload[]): number {
  const standIn = 1_000_000;
  const total = uploads.reduce((sum, { totalBytes }) => sum + (totalBytes ?? standIn), 0);
  const sent = uploads.reduce((sum, { state, sentBytes, totalBytes }) => {
    return sum + (state === 'done' || state === 'failed' ? (totalBytes ?? standIn) : sentBytes);
  }, 0);
  return total === 0 ? 1 : sent / total;
}
