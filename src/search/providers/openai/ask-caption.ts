// Has a model look at a picture. Neither the length of the answer nor its temperature is set, because some models refuse the one
// and some the other: the prompt bounds the length.
import { readFile } from 'node:fs/promises';
import { captionPrompt } from './caption-prompt.ts';
import { callOpenAi, jsonIn, type Server } from './openai-call.ts';
import { readCaption } from './read-caption.ts';

export type PictureToCaption = {
  /** A small JPEG, and its length: the file may go on behind it. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly model: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};

export async function askCaption(server: Server, picture: PictureToCaption): Promise<string> {
  const { path, sizeBytes, model, deadlineMs, signal } = picture;
  const jpeg = (await readFile(path)).subarray(0, sizeBytes);
  const url = `data:image/jpeg;base64,${jpeg.toString('base64')}`;
  const content = [
    { type: 'text', text: captionPrompt },
    // The picture has no more than 512 pixels a side: a closer look would cost more and see nothing more.
    { type: 'image_url', image_url: { url, detail: 'low' } },
  ];
  const body = { model, messages: [{ role: 'user', content }] };
  const outcome = await callOpenAi(server, {
    path: '/chat/completions',
    purpose: 'caption',
    model,
    body,
    deadlineMs,
    signal,
  });
  return readCaption(jsonIn(outcome));
}
