// The picture as large as the page has room for.
import { image, type ObjectDetails } from '../../../client/src/index.ts';

const widths = [480, 800, 1280, 2000];

export function Picture({ object }: { object: ObjectDetails }) {
  const picture = image(object.object_url).fit('max').format('auto');
  return (
    <img
      className="object-picture"
      src={picture.width(1280).url}
      srcSet={picture.srcset({ widths })}
      sizes="(max-width: 960px) 100vw, 65vw"
      alt={object.caption ?? object.original_file_name}
      width={object.width}
      height={object.height}
      style={object.dominant_color ? { backgroundColor: object.dominant_color } : undefined}
    />
  );
}
