// A film: its player as soon as something can be played, and how far its processing is until then.
import type { ObjectDetails } from '../../../../client/src/index.ts';
import { image } from '../../../../client/src/index.ts';
import { Player } from './player.tsx';

export function Film({ object }: { object: ObjectDetails }) {
  const isPlayable = object.status === 'ready' || (object.renditions?.length ?? 0) > 0;
  const isUnfinished = object.status === 'queued' || object.status === 'processing';
  return (
    <div className="stack">
      {isPlayable && object.video_url !== undefined ? (
        <Player object={object} stream={object.video_url} />
      ) : (
        <img
          className="film-poster"
          src={image(object.object_url).format('webp').url}
          alt="Poster of the film"
        />
      )}
      {isUnfinished && (
        <div className="field" role="status">
          <label htmlFor="film-progress">
            {object.status === 'queued' ? 'Waiting to be processed' : `Processing: ${object.progress ?? 0}%`}
            {isPlayable && ', playable already'}
          </label>
          <progress id="film-progress" value={object.progress ?? 0} max={100} />
        </div>
      )}
      {object.status === 'failed' && (
        <p className="fault" role="alert">
          This film could not be processed: {object.error ?? 'no reason was given'}. Its original is kept;
          upload it again in another form.
        </p>
      )}
    </div>
  );
}
