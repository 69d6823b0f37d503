// Takes an upload's multipart body apart: one file and three small fields, in any order. Every fault becomes a clear 4xx.
import { MultipartFault, MultipartParser, type PartHead } from '../../lib/multipart-parser.ts';
import { AppError } from '../../platform/errors.ts';
import { cleanFileName, parseFolder, parseObjectId, parseTagList } from '../object-fields.ts';
import type { FileReceiver, ReceivedFile } from './receive-file.ts';
import type { UploadFields } from '../new-object-row.ts';

const maxParts = 50;
const maxFieldBytes = 64 * 1024;
const fieldNames = new Set(['tags', 'folder', 'object', 'file']);

export type ReadUpload = { file: ReceivedFile; fields: UploadFields };

export async function readUpload(
  body: AsyncIterable<Buffer>,
  boundary: string,
  openFile: () => Promise<FileReceiver>,
): Promise<ReadUpload> {
  const reader = new UploadReader(openFile);
  const parser = new MultipartParser(boundary);
  let isEmpty = true;
  try {
    for await (const chunk of body) {
      isEmpty = false;
      for (const event of parser.push(chunk)) {
        if (event.type === 'data') await reader.take(event.bytes);
        else if (event.type === 'begin') await reader.begin(event.head);
        else await reader.end();
      }
    }
    if (!parser.isComplete && !isEmpty) throw new AppError('invalid_multipart');
    return reader.finish();
  } catch (error) {
    await reader.discard();
    throw toUploadFault(error);
  }
}

class UploadReader {
  readonly #openFile: () => Promise<FileReceiver>;
  readonly #fields: UploadFields = { objectId: null, tags: [], folder: null, fileName: '' };
  #receiver: FileReceiver | undefined;
  #file: ReceivedFile | undefined;
  /** The part being read: the file, a field whose bytes are gathered, or something nobody asked for. */
  #current: 'file' | 'nothing' | { name: string; bytes: Buffer[]; size: number } = 'nothing';
  #parts = 0;

  constructor(openFile: () => Promise<FileReceiver>) {
    this.#openFile = openFile;
  }

  async begin({ name, fileName, isFile, type }: PartHead): Promise<void> {
    this.#parts += 1;
    if (this.#parts > maxParts) throw new AppError('bad_request', 'The upload has too many parts');
    if (!isFile) {
      const isKnown = fieldNames.has(name);
      if (isKnown && type === 'application/json')
        throw new AppError('bad_request', `Send the field "${name}" as plain text, not as JSON`);
      this.#current = isKnown ? { name, bytes: [], size: 0 } : 'nothing';
      return;
    }
    if (name !== 'file') throw new AppError('bad_request', 'Send the file as the multipart part "file"');
    if (this.#receiver) throw new AppError('bad_request', 'Send exactly one file');
    this.#fields.fileName = cleanFileName(fileName);
    this.#receiver = await this.#openFile();
    this.#current = 'file';
  }

  async take(bytes: Buffer): Promise<void> {
    const current = this.#current;
    if (current === 'file') await (this.#receiver as FileReceiver).write(bytes);
    else if (current !== 'nothing') {
      current.bytes.push(bytes);
      current.size += bytes.length;
      if (current.size > maxFieldBytes) throw new AppError('bad_request', 'A field is too long');
    }
  }

  async end(): Promise<void> {
    const current = this.#current;
    this.#current = 'nothing';
    if (current === 'file') this.#file = await (this.#receiver as FileReceiver).finish();
    else if (current !== 'nothing')
      takeField(this.#fields, current.name, Buffer.concat(current.bytes).toString());
  }

  finish(): ReadUpload {
    if (!this.#file) throw new AppError('file_missing');
    return { file: this.#file, fields: this.#fields };
  }

  async discard(): Promise<void> {
    await this.#receiver?.discard();
  }
}

function takeField(fields: UploadFields, name: string, text: string): void {
  if (name === 'file')
    throw new AppError('file_missing', 'The part "file" must be a file: give it a file name');
  if (name === 'tags') fields.tags = parseTagList([...fields.tags, text].join(','));
  else if (name === 'folder') fields.folder = parseFolder(text);
  else fields.objectId = parseObjectId(text);
}

/** Whatever is wrong with a body is the sender's fault; only ours and the disk's errors stay what they are. */
function toUploadFault(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const isBody = error instanceof MultipartFault || !(error as { syscall?: string }).syscall;
  return isBody ? new AppError('invalid_multipart', undefined, { cause: error }) : error;
}
