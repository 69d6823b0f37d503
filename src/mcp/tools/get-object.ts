// Everything about one object, and how it looks.
import { Type } from 'typebox';
import { image } from '../../../client/src/index.ts';
import { type Content, defineTool, reads, type ToolContext } from '../tool.ts';
import { json, picture } from '../content.ts';
import { objectId } from '../fields.ts';

const previewPixels = 512;

export const getObject = defineTool({
  name: 'get_object',
  title: 'Look at an image or video',
  description:
    'Tells all that is known of one object (type, size, dimensions, tags, folder, caption, addresses; of a video also how far its processing is) and shows it as a small picture. Sizes are in kilobytes.',
  input: Type.Object(
    {
      object_id: objectId,
      preview: Type.Optional(Type.Boolean({ description: 'Whether to show it; true if left out' })),
    },
    { additionalProperties: false },
  ),
  annotations: reads,
  run: async ({ object_id: id, preview = true }, context) => {
    const object = await context.service.get(id, { signal: context.signal });
    return [json(object), ...(preview ? [await previewOf(object.object_url, context)] : [])];
  },
});

/** Accounts may allow only the transformations of their own; the thumbnail is always there. */
async function previewOf(objectUrl: string, context: ToolContext): Promise<Content> {
  const whole = image(objectUrl).width(previewPixels).height(previewPixels).fit('max').still().format('webp');
  const shown = await picture(whole.url, context);
  if (shown.type === 'image') return shown;
  return picture(image(objectUrl).width(200).height(200).format('webp').url, context);
}
