// One picture of the grid: a link to its page, with a box to select it.
import { memo, use } from 'react';
import type { ObjectDetails } from '../../../client/src/index.ts';
import { image } from '../../../client/src/index.ts';
import { PlainLink } from '../parts/plain-link.tsx';
import { duration } from '../parts/units.ts';
import { objectPath } from '../paths.ts';
import { SelectionContext } from './use-selection.ts';

type TileProps = {
  readonly index: number;
  readonly object: TileObject;
  readonly score?: number | undefined;
};

/** What a search tells is less than what a listing does. */
export type TileObject = Pick<ObjectDetails, 'object_id' | 'object_url'> &
  Partial<
    Pick<
      ObjectDetails,
      'original_file_name' | 'caption' | 'duration' | 'status' | 'progress' | 'dominant_color' | 'type'
    >
  >;

export const Tile = memo(function Tile({ index, object, score }: TileProps) {
  const selection = use(SelectionContext);
  const isSelected = selection.objects.has(object.object_id);
  const name = object.original_file_name ?? object.object_id;
  const described = object.caption ?? name;
  const isUnfinished = object.status === 'queued' || object.status === 'processing';
  return (
    <div className="tile" data-selected={isSelected || undefined}>
      <PlainLink href={objectPath(object.object_id)} className="tile-link" data-tile="">
        <img
          src={image(object.object_url).height(200).width(200).format('webp').url}
          alt={described}
          width={200}
          height={200}
          decoding="async"
          draggable={false}
          style={object.dominant_color ? { backgroundColor: object.dominant_color } : undefined}
        />
        {object.duration !== undefined && <span className="tile-badge">▶ {duration(object.duration)}</span>}
        {object.status === 'failed' && <span className="tile-badge">failed</span>}
      </PlainLink>
      {isUnfinished && (
        <progress value={object.progress ?? 0} max={100} aria-label={`${name} is being processed`} />
      )}
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isSelected}
        onChange={() => undefined}
        onClick={(event) => selection.set(index, !isSelected, event.shiftKey)}
      />
      {score !== undefined && (
        <p className="tile-caption">
          <strong>{score.toFixed(2)}</strong> {object.caption}
        </p>
      )}
    </div>
  );
});
