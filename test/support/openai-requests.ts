// What OpenAI would say of a request to its two endpoints, checked strictly: an error as it words them, or what was asked for.
import type { IncomingHttpHeaders } from 'node:http';
import { jpegSize } from './jpeg-size.ts';

export type ApiError = {
  status: number;
  message: string;
  type: string;
  code: string | null;
  param: string | null;
};
export type AskedPicture = { width: number; height: number; bytes: Buffer; prompt: string };
export type ModelNames = { captionModel: string; embeddingModel: string };

const maxSide = 512;
const mostDimensions = 1536;

/** Throws an ApiError. */
export function refuse(status: number, message: string, more: Partial<ApiError> = {}): never {
  throw {
    status,
    message,
    type: 'invalid_request_error',
    code: null,
    param: null,
    ...more,
  } satisfies ApiError;
}

export function checkHeaders(headers: IncomingHttpHeaders, apiKey: string): void {
  if (headers.authorization !== `Bearer ${apiKey}`) {
    const sent = headers.authorization?.replace(/^Bearer /, '');
    // As OpenAI does: part of the key is in its message.
    refuse(401, `Incorrect API key provided: ${sent}. You can find your API key at https://example.com.`, {
      code: 'invalid_api_key',
    });
  }
  if (headers['content-type'] !== 'application/json')
    refuse(415, `Unsupported content type: ${headers['content-type']}`);
}

export function readCaptionRequest(body: any, { captionModel }: ModelNames): AskedPicture {
  onlyFields(body, ['model', 'messages']);
  knownModel(body.model, captionModel);
  const [message, ...more] = Array.isArray(body.messages) ? body.messages : [];
  if (message?.role !== 'user' || more.length > 0) refuse(400, 'One message of the user is expected.');
  const [text, image, ...others] = Array.isArray(message.content) ? message.content : [];
  if (text?.type !== 'text' || !text.text) refuse(400, 'A text is expected.');
  if (image?.type !== 'image_url' || others.length > 0) refuse(400, 'One picture is expected.');
  if (image.image_url?.detail !== 'low') refuse(400, 'Low detail is expected.');
  const [, base64] = /^data:image\/jpeg;base64,([A-Za-z0-9+/]+={0,2})$/.exec(image.image_url.url) ?? [];
  if (!base64) refuse(400, 'Invalid image_url.', { code: 'invalid_image_url' });
  const bytes = Buffer.from(base64, 'base64');
  const size = jpegSize(bytes);
  if (!size || Math.max(size.width, size.height) > maxSide)
    refuse(400, 'You uploaded an unsupported image.', { code: 'invalid_image_format' });
  return { ...size, bytes, prompt: text.text };
}

export type AskedVector = { input: string; dimensions: number | null };

export function readVectorRequest(body: any, { embeddingModel }: ModelNames): AskedVector {
  onlyFields(body, ['model', 'input', 'dimensions', 'encoding_format']);
  knownModel(body.model, embeddingModel);
  if (body.encoding_format !== 'float') refuse(400, 'Floats are expected.', { param: 'encoding_format' });
  if (typeof body.input !== 'string' || body.input === '')
    refuse(400, `'$.input' is invalid.`, { param: 'input' });
  const { input, dimensions = null } = body;
  if (
    dimensions !== null &&
    !(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= mostDimensions)
  ) {
    refuse(400, `Invalid value for 'dimensions' = ${dimensions}. Must be at most ${mostDimensions}.`, {
      param: 'dimensions',
    });
  }
  return { input, dimensions };
}

function onlyFields(body: any, names: string[]): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    refuse(400, 'We could not parse the JSON body of your request.');
  const strange = Object.keys(body).find((name) => !names.includes(name));
  if (strange) refuse(400, `Unrecognized request argument supplied: ${strange}`);
}

function knownModel(asked: unknown, known: string): void {
  if (asked !== known) {
    refuse(404, `The model \`${String(asked)}\` does not exist or you do not have access to it.`, {
      code: 'model_not_found',
    });
  }
}
