// The loader of `next/image`: in next.config.js `images: { loader: 'custom', loaderFile: './node_modules/@tintype/client/dist/next.js' }`,
// then `<Image src={object.object_url} … />`.
import { image } from './image.ts';

export default function tintypeLoader({
  src,
  width,
  quality,
}: {
  src: string;
  width: number;
  quality?: number;
}): string {
  return image(src)
    .width(width)
    .fit('max')
    .quality(quality ?? 'auto')
    .format('auto').url;
}
