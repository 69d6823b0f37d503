// Where the object is: the addresses every object has, to copy.
import { image, type ObjectDetails } from '../../../client/src/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';

export function Addresses({ object }: { object: ObjectDetails }) {
  return (
    <section className="card" aria-labelledby="addresses">
      <h2 id="addresses">Addresses</h2>
      <p className="muted">Public: whoever has one can see it, without a key.</p>
      <ul className="addresses">
        {addressesOf(object).map(([name, address]) => (
          <li key={name}>
            <span>{name}</span>
            <a href={address} target="_blank" rel="noreferrer">
              <code>{address}</code>
            </a>
            <CopyButton text={address} label="Copy" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function addressesOf(object: ObjectDetails): [string, string][] {
  const picture = image(object.object_url);
  const common: [string, string][] = [
    ['Original', object.original],
    ['Thumbnail', picture.height(200).width(200).format('webp').url],
    ['Facts', `${object.object_url}original.json`],
  ];
  if (object.video_url === undefined)
    return [['Optimised', object.optimised ?? picture.format('webp').url], ...common];
  return [
    ['Stream', object.video_url],
    ['Film as MP4', `${object.object_url}original.mp4`],
    ['Poster', picture.format('webp').url],
    ['Storyboard', `${object.object_url}storyboard.vtt`],
    ...common,
  ];
}
