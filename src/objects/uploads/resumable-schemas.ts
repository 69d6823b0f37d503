// How the routes of resumable uploads are described. The protocol itself is at tus.io; the headers are checked there.
import { type TSchema, Type } from 'typebox';
import { StoredObject } from '../object-json.ts';

export const UploadPath = Type.Object({ upload_id: Type.String() });
export type UploadParams = { upload_id: string };

const Begun = Type.Object({
  upload_url: Type.String({ description: 'Where its bytes go; also in `Location`' }),
  offset: Type.Integer({ description: 'Bytes that have come' }),
  length: Type.Integer({ description: 'Bytes in all' }),
  expires_at: Type.String({ description: 'Moves on with every byte', format: 'date-time' }),
});

export const beginSchema = {
  summary: 'Begin a resumable upload',
  description:
    'The tus protocol 1.0: `Upload-Length`, and `Upload-Metadata` with `filename` and optionally `tags`, `folder`, `object` and `filetype`. May bring the first bytes.',
  tags: ['Objects'],
  response: { 201: Type.Union([Begun, StoredObject]) as TSchema },
};

export const sendSchema = {
  summary: 'Send bytes of a resumable upload',
  description:
    '`Upload-Offset` says where they begin, and must be where the upload stands (`HEAD` tells it). The answer to the last bytes is the object; a file that is refused is refused here.',
  tags: ['Objects'],
  params: UploadPath,
  response: {
    200: StoredObject as TSchema,
    204: Type.Null({ description: 'There are more bytes to come' }) as TSchema,
  },
};

export const resultSchema = {
  summary: 'What became of a resumable upload',
  description: 'The object, for a day after the last byte. 409 while bytes are missing.',
  tags: ['Objects'],
  params: UploadPath,
  response: { 200: StoredObject as TSchema },
};

export const endSchema = {
  summary: 'Give up a resumable upload',
  description: 'Its bytes are removed. An object it has become already stays.',
  tags: ['Objects'],
  params: UploadPath,
  response: { 204: Type.Null({ description: 'It is gone' }) as TSchema },
};
