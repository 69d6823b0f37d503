// Uploads a file of this machine, in pieces when it is large, or has the service fetch one from the web.
import { Type } from 'typebox';
import type { StoredObject } from '../../../client/src/index.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { json, text } from '../content.ts';
import { openLocalFile } from '../local-file.ts';
import { defineTool, type ToolContext, ToolFault } from '../tool.ts';

const resumableFromBytes = 8 * 1024 * 1024;

type Fields = { tags?: string[]; folder?: string; object?: string };

export const uploadObject = defineTool({
  name: 'upload_object',
  title: 'Upload an image or video',
  description:
    'Uploads an image (JPEG, PNG, GIF, WebP, AVIF) or video to the account, either a file of this machine that the user named (path), or one on the web (url). Answers with its id and public addresses. The object is public to everyone who knows its address.',
  input: Type.Object(
    {
      path: Type.Optional(
        Type.String({ description: 'Whole path of a file of this machine, as the user named it' }),
      ),
      url: Type.Optional(
        Type.String({ description: 'Public http or https address the service fetches it from' }),
      ),
      tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags it gets', maxItems: 100 })),
      folder: Type.Optional(Type.String({ description: 'Folder it is put into, such as trips/japan' })),
      object_id: Type.Optional(
        Type.String({ description: 'An id of its own, unused so far, in place of a random one' }),
      ),
    },
    { additionalProperties: false },
  ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  run: async ({ path, url, tags, folder, object_id: object }, context) => {
    const fields = {
      ...(tags === undefined ? {} : { tags }),
      ...(folder === undefined ? {} : { folder }),
      ...(object === undefined ? {} : { object }),
    };
    if ((path === undefined) === (url === undefined))
      throw new ToolFault('Give either path or url, and only one of them.');
    const stored =
      path === undefined
        ? await fromWeb(url as string, fields, context)
        : await fromHere(path, fields, context);
    const { original_file_name: name, size, object_id: id } = stored;
    return [text(`Uploaded ${name} (${formatBytes(size * 1024)}) as ${id}.`), json(stored)];
  },
});

function fromWeb(url: string, fields: Fields, { service, signal }: ToolContext): Promise<StoredObject> {
  return service.uploadFromUrl(url, { ...fields, signal });
}

async function fromHere(path: string, fields: Fields, context: ToolContext): Promise<StoredObject> {
  const { service, signal } = context;
  const { blob, fileName, sizeBytes } = await openLocalFile(path);
  const options = { ...fields, fileName, signal };
  return sizeBytes < resumableFromBytes ? service.upload(blob, options) : inPieces(blob, options, context);
}

async function inPieces(
  blob: Blob,
  options: Fields & { fileName: string; signal: AbortSignal },
  { service, signal, onProgress }: ToolContext,
): Promise<StoredObject> {
  let begun: string | undefined;
  try {
    return await service.uploadResumable(blob, {
      ...options,
      onBegin: (address) => (begun = address),
      onProgress: ({ sentBytes, totalBytes }) => onProgress(sentBytes, totalBytes),
    });
  } catch (error) {
    // Nobody will go on with it.
    if (signal.aborted && begun !== undefined) await service.cancelResumable(begun).catch(() => undefined);
    throw error;
  }
}
