// Takes an upload's multipart body apart: one file and three small fields, in any order. Every fault becomes a clear 4xx.
import type { Multipart, MultipartFile } from '@fastify/multipart';
import { AppError } from '../platform/errors.ts';
import { cleanFileName, parseFolder, parseObjectId, parseTagList } from './object-fields.ts';
import type { ReceivedFile } from './receive-file.ts';
import type { UploadFields } from './store-upload.ts';

export const multipartLimits = {
  fieldNameSize: 200,
  fieldSize: 64 * 1024,
  fields: 50,
  fileSize: Number.MAX_SAFE_INTEGER,
  files: 2,
  parts: 60,
  headerPairs: 100,
} as const;

export type ReadUpload = { file: ReceivedFile; fields: UploadFields };

export async function readUpload(
  parts: AsyncIterable<Multipart>,
  receive: (bytes: AsyncIterable<Buffer>) => Promise<ReceivedFile>,
): Promise<ReadUpload> {
  let file: ReceivedFile | undefined;
  const fields: UploadFields = { objectId: null, tags: [], folder: null, fileName: '' };
  try {
    for await (const part of parts) {
      if (part.type === 'field') takeField(fields, part.fieldname, part.value, part.valueTruncated);
      else {
        checkFilePart(part, file !== undefined);
        fields.fileName = cleanFileName(part.filename);
        file = await receive(part.file);
      }
    }
    if (!file) throw new AppError('file_missing');
    return { file, fields };
  } catch (error) {
    await file?.staged.discard();
    throw toUploadFault(error);
  }
}

function checkFilePart(part: MultipartFile, hasFile: boolean): void {
  if (part.fieldname !== 'file')
    throw new AppError('bad_request', 'Send the file as the multipart part "file"');
  if (hasFile) throw new AppError('bad_request', 'Send exactly one file');
}

const fieldNames = new Set(['tags', 'folder', 'object', 'file']);

function takeField(fields: UploadFields, name: string, text: unknown, truncated: boolean): void {
  if (!fieldNames.has(name)) return;
  if (truncated) throw new AppError('bad_request', 'A field is too long');
  if (name === 'file')
    throw new AppError('file_missing', 'The part "file" must be a file: give it a file name');
  // A part that calls itself JSON arrives parsed, and may be anything.
  if (typeof text !== 'string')
    throw new AppError('bad_request', `Send the field "${name}" as plain text, not as JSON`);
  if (name === 'tags') fields.tags = parseTagList([...fields.tags, text].join(','));
  else if (name === 'folder') fields.folder = parseFolder(text);
  else fields.objectId = parseObjectId(text);
}

const limitFaults: Record<string, string> = {
  FST_FILES_LIMIT: 'Send exactly one file',
  FST_FIELDS_LIMIT: 'The upload has too many fields',
  FST_PARTS_LIMIT: 'The upload has too many parts',
  FST_PROTO_VIOLATION: 'A field has a name that is not allowed',
};

/** Whatever the parser says of a body is the sender's fault; only ours and the disk's errors stay what they are. */
function toUploadFault(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code, syscall } = error as { code?: string; syscall?: string };
  const limit = limitFaults[code ?? ''];
  if (limit) return new AppError('bad_request', limit, { cause: error });
  return syscall ? error : new AppError('invalid_multipart', undefined, { cause: error });
}
