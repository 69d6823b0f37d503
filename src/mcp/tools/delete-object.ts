// Deletes one object, and only when it is said outright: what is deleted is gone from every address at once.
import { Type } from 'typebox';
import { isRefusal } from '../../../client/src/index.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { text } from '../content.ts';
import { objectId } from '../fields.ts';
import { defineTool, type ToolContext, ToolFault } from '../tool.ts';

export const deleteObject = defineTool({
  name: 'delete_object',
  title: 'Delete an image or video',
  description:
    'Deletes one object for good: the original, all its variants, and every address of it. Ask the user first and then say confirm: true; without it nothing is deleted, and the answer tells what would be.',
  input: Type.Object(
    {
      object_id: objectId,
      confirm: Type.Optional(
        Type.Boolean({ description: 'True when the user wants exactly this object deleted' }),
      ),
    },
    { additionalProperties: false },
  ),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async ({ object_id: id, confirm = false }, context) => {
    const described = await describe(id, context);
    if (!confirm)
      throw new ToolFault(
        `Nothing was deleted. This would delete ${described} for good. Ask the user, and call it again with confirm: true.`,
      );
    await context.service.delete(id, { signal: context.signal });
    return [text(`Deleted ${described}.`)];
  },
});

async function describe(id: string, { service, signal }: ToolContext): Promise<string> {
  try {
    const { original_file_name: name, type, size, folder } = await service.get(id, { signal });
    const where = folder === null ? '' : ` in ${folder}`;
    return `${id}: ${name}${where} (${type}, ${formatBytes(size * 1024)})`;
  } catch (error) {
    // A key that may only write deletes what it cannot look at.
    if (isRefusal(error, 'scope_too_small')) return id;
    throw error;
  }
}
