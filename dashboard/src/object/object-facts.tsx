// What is known of an object.
import type { ObjectDetails } from '../../../client/src/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { dateAndTime, duration, kilobytes } from '../parts/units.ts';

export function ObjectFacts({ object }: { object: ObjectDetails }) {
  return (
    <section className="stack object-facts" aria-label="Facts">
      {object.caption && (
        <figure className="object-caption">
          <blockquote>{object.caption}</blockquote>
          <figcaption className="muted">Caption, by which it is found</figcaption>
        </figure>
      )}
      <Facts facts={factsOf(object)} />
    </section>
  );
}

function factsOf(object: ObjectDetails): Fact[] {
  const { object_id: id, created_at: createdAt, renditions = [], dominant_color: colour } = object;
  return [
    [
      'Id',
      <>
        <code>{id}</code> <CopyButton text={id} />
      </>,
    ],
    ['Type', object.type],
    ['Size', object.width === undefined ? null : `${object.width} × ${object.height} px`],
    ['Length', object.duration === undefined ? null : duration(object.duration)],
    ['File', kilobytes(object.size)],
    ['Uploaded', <time dateTime={createdAt}>{dateAndTime(createdAt)}</time>],
    ['Plays in', renditions.length === 0 ? null : renditions.map(({ name }) => name).join(', ')],
    [
      'Colour',
      colour === undefined ? null : (
        <>
          <span className="swatch" style={{ backgroundColor: colour }} />
          <code>{colour}</code>
        </>
      ),
    ],
  ];
}
