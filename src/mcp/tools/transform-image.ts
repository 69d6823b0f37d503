// Makes a variant of a picture, or a still of a film, and tells its address. What is not offered by name can be given in
// the address language itself.
import { type Static, Type } from 'typebox';
import { image, type ImageAddress, places } from '../../../client/src/index.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { json, picture, text } from '../content.ts';
import { objectId } from '../fields.ts';
import { defineTool } from '../tool.ts';

const pixels = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: 1, maximum: 8192 }));
const percent = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: -100, maximum: 100 }));
const strength = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: 1, maximum: 100 }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const Look = Type.Object({
  width: pixels('Pixels; alone, the height follows'),
  height: pixels('Pixels; alone, the width follows'),
  fit: Type.Optional(
    Type.Enum(['cover', 'contain', 'fill', 'inside', 'outside', 'max'], {
      description:
        'How it meets a box of width and height: cover (default) cuts off, contain pads, max is inside without enlarging',
    }),
  ),
  gravity: Type.Optional(
    Type.Enum([...places, 'auto', 'entropy', 'face'], {
      description: 'What stays when something is cut off',
    }),
  ),
  crop: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'Part of the source that is used, in its pixels: [x, y, width, height]',
      minItems: 4,
      maxItems: 4,
    }),
  ),
  quality: strength('1 to 100'),
  rotate: Type.Optional(Type.Number({ description: 'Degrees, clockwise', minimum: -360, maximum: 360 })),
  flip: Type.Optional(Type.Enum(['h', 'v', 'hv'], { description: 'Mirrors it' })),
  blur: strength('1 to 100'),
  sharpen: strength('1 to 100'),
  brightness: percent('Per cent more or less'),
  contrast: percent('Per cent more or less'),
  saturation: percent('Per cent more or less'),
  grayscale: flag('Black and white'),
  remove_background: flag('Cuts the subject out; wants a format with transparency, such as png or webp'),
  background: Type.Optional(
    Type.String({
      description: 'Colour behind it: hex such as ffffff, or a name of CSS',
      pattern: '^#?\\w{1,32}$',
    }),
  ),
  round_corners: Type.Optional(
    Type.Integer({
      description: 'Radius of its corners in pixels; 8192 makes a circle of a square',
      minimum: 0,
      maximum: 8192,
    }),
  ),
  at_seconds: Type.Optional(
    Type.Number({ description: 'Moment of a video that becomes the picture', minimum: 0 }),
  ),
});
type LookName = keyof Static<typeof Look>;

type Steps = {
  [Name in LookName]-?: (of: ImageAddress, value: NonNullable<Static<typeof Look>[Name]>) => ImageAddress;
};
const steps: Steps = {
  width: (of, value) => of.width(value),
  height: (of, value) => of.height(value),
  fit: (of, value) => of.fit(value),
  gravity: (of, value) => of.gravity(value),
  crop: (of, [x = 0, y = 0, width = 0, height = 0]) => of.crop(x, y, width, height),
  quality: (of, value) => of.quality(value),
  rotate: (of, value) => of.rotate(value),
  flip: (of, value) => of.flip(value),
  blur: (of, value) => of.blur(value),
  sharpen: (of, value) => of.sharpen(value),
  brightness: (of, value) => of.brightness(value),
  contrast: (of, value) => of.contrast(value),
  saturation: (of, value) => of.saturation(value),
  grayscale: (of, value) => (value ? of.grayscale() : of),
  remove_background: (of, value) => (value ? of.removeBackground() : of),
  background: (of, value) => of.background(value),
  round_corners: (of, value) => (value === 8192 ? of.radius('max') : value > 0 ? of.radius(value) : of),
  at_seconds: (of, value) => of.at(value),
};

export const transformImage = defineTool({
  name: 'transform_image',
  title: 'Transform an image',
  description:
    'Makes a variant of an image (resized, cropped, cut out, in another format, …) or a still of a video, keeps it, and answers with its public address, dimensions and size. The original stays as it is.',
  input: Type.Object(
    {
      object_id: objectId,
      format: Type.Optional(
        Type.Enum(['webp', 'avif', 'jpg', 'png', 'gif'], { description: 'webp if left out' }),
      ),
      ...Look.properties,
      tokens: Type.Optional(
        Type.String({
          description:
            'Further tokens of the address language, joined by _, such as border-4-ff0000_sepia or preset-card or trim-10',
          pattern: '^[A-Za-z0-9~._-]{1,400}$',
        }),
      ),
      show: Type.Optional(Type.Boolean({ description: 'Whether to show the picture too', default: false })),
    },
    { additionalProperties: false },
  ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async ({ object_id: id, format = 'webp', tokens, show, ...look }, context) => {
    const { service, signal } = context;
    const made = await service.create(id, transformationOf(look, tokens, format), { signal });
    const { url, width, height, size, type } = made;
    const facts = json({ url, width, height, size_kb: size, type });
    const words = text(`${width} × ${height} pixels, ${formatBytes(size * 1024)}: ${url}`);
    return [words, facts, ...(show ? [await picture(url, context)] : [])];
  },
});

function transformationOf(look: Static<typeof Look>, tokens: string | undefined, format: string): string {
  let built = image('');
  for (const name of Object.keys(look) as LookName[])
    built = (steps[name] as (of: ImageAddress, value: unknown) => ImageAddress)(built, look[name]);
  const own = built.transformation;
  const all = [own === 'original' && tokens !== undefined ? '' : own, tokens ?? ''].filter(
    (part) => part !== '',
  );
  return `${all.join('_')}.${format}`;
}
