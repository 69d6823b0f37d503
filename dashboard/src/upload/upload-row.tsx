// One upload: how far it is, what can be done about it, and where it is when it is done.
import { Link } from 'wouter';
import { image } from '../../../client/src/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { bytes } from '../parts/units.ts';
import { objectPath } from '../paths.ts';
import { pause, remove, resume, retry, type Upload } from './uploads.ts';

export function UploadRow({ upload }: { upload: Upload }) {
  const { id, name, state, error, object } = upload;
  return (
    <li className="upload" data-state={state}>
      <div className="upload-thumbnail">
        {object && (
          <img
            src={image(object.object_url).height(200).width(200).format('webp').url}
            alt=""
            width={48}
            height={48}
          />
        )}
      </div>
      <div className="upload-middle">
        <p className="upload-name">
          {object ? <Link href={objectPath(object.object_id)}>{name}</Link> : name}
        </p>
        {state === 'failed' ? (
          <p className="fault" role="alert">
            {error}
          </p>
        ) : (
          <Progress upload={upload} />
        )}
      </div>
      <div className="row">
        {state === 'sending' && upload.totalBytes !== null && (
          <Act name={name} label="Pause" act={() => pause(id)} />
        )}
        {state === 'paused' && <Act name={name} label="Resume" act={() => resume(id)} />}
        {state === 'failed' && upload.canRetry && <Act name={name} label="Try again" act={() => retry(id)} />}
        {object && <CopyButton text={object.object_url} label="Copy address" />}
        {state !== 'done' && <Act name={name} label="Remove" act={() => remove(id)} />}
      </div>
    </li>
  );
}

function Progress({ upload: { name, state, sentBytes, totalBytes } }: { upload: Upload }) {
  if (state === 'done')
    return <p className="muted">Uploaded{totalBytes === null ? '' : `, ${bytes(totalBytes)}`}</p>;
  if (totalBytes === null) {
    return (
      <>
        {state === 'sending' && <progress aria-label={`Fetching ${name}`} />}
        <p className="muted">{state === 'sending' ? 'The service is fetching it …' : 'Waiting'}</p>
      </>
    );
  }
  return (
    <>
      <progress value={sentBytes} max={totalBytes} aria-label={`Upload of ${name}`} />
      <p className="muted">
        {state === 'waiting' && 'Waiting, '}
        {state === 'paused' && 'Paused, '}
        {bytes(sentBytes)} of {bytes(totalBytes)}
      </p>
    </>
  );
}

function Act({ name, label, act }: { name: string; label: string; act: () => Promise<void> }) {
  return (
    <button type="button" className="small" aria-label={`${label}: ${name}`} onClick={() => void act()}>
      {label}
    </button>
  );
}
