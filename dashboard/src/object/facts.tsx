// What is known of an object.
import type { ReactNode } from 'react';
import type { ObjectDetails } from '../../../client/src/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { dateAndTime, duration, kilobytes } from '../parts/units.ts';

export function Facts({ object }: { object: ObjectDetails }) {
  return (
    <section className="stack" aria-label="Facts">
      {object.caption && (
        <figure className="object-caption">
          <blockquote>{object.caption}</blockquote>
          <figcaption className="muted">Caption, by which it is found</figcaption>
        </figure>
      )}
      <dl className="facts">
        <Fact name="Id">
          <code>{object.object_id}</code> <CopyButton text={object.object_id} />
        </Fact>
        <Fact name="Type">{object.type}</Fact>
        {object.width !== undefined && (
          <Fact name="Size">
            {object.width} × {object.height} px
          </Fact>
        )}
        {object.duration !== undefined && <Fact name="Length">{duration(object.duration)}</Fact>}
        <Fact name="File">{kilobytes(object.size)}</Fact>
        <Fact name="Uploaded">
          <time dateTime={object.created_at}>{dateAndTime(object.created_at)}</time>
        </Fact>
        {object.renditions && object.renditions.length > 0 && (
          <Fact name="Plays in">{object.renditions.map(({ name }) => name).join(', ')}</Fact>
        )}
        {object.dominant_color && (
          <Fact name="Colour">
            <span className="swatch" style={{ backgroundColor: object.dominant_color }} />
            <code>{object.dominant_color}</code>
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
