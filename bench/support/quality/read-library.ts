// The library that questions are asked of, from the text files in `library/`: each picture is a line with its id, file name and
// tags, and below it the caption a good model would write for it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type DescribedPicture = { id: string; fileName: string; tags: string[]; caption: string };

const folder = join(import.meta.dirname, 'library');

export function readLibrary(): DescribedPicture[] {
  const files = readdirSync(folder).toSorted();
  const pictures = files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').trim().split(/\n\n+/).map(readPicture),
  );
  if (new Set(pictures.map(({ id }) => id)).size !== pictures.length)
    throw new Error('Two pictures of the library have the same id');
  return pictures;
}

function readPicture(paragraph: string): DescribedPicture {
  const [head = '', ...caption] = paragraph.split('\n');
  const [id, fileName, tags, ...more] = head.split(' · ');
  if (!id || !fileName || !tags || more.length > 0 || caption.length === 0)
    throw new Error(`This is no picture of a library: ${paragraph}`);
  return { id, fileName, tags: tags.split(', '), caption: caption.join(' ') };
}
