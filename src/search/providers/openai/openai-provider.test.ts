import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type OpenAiStandIn, startOpenAiStandIn } from '../../../../test/support/openai-stand-in.ts';
import { picture } from '../../../../test/support/pictures.ts';
import type { AiProvider } from '../ai-provider.ts';
import { captionPrompt } from './caption-prompt.ts';
import { createOpenAiProvider, type OpenAiOptions } from './openai-provider.ts';

const { signal } = new AbortController();
const lengthOf = (vector: Float32Array): number =>
  Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, each, place) => sum + each * (b[place] as number), 0);

let folder: string;
let path: string;
let sizeBytes: number;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openai-provider-'));
  path = join(folder, 'picture.jpg');
  const jpeg = await picture(320, 200);
  sizeBytes = jpeg.length;
  // As our variants are: what follows the picture is not sent.
  await writeFile(path, Buffer.concat([jpeg, Buffer.from('trailer')]));
});
after(() => rm(folder, { recursive: true }));

let openAi: OpenAiStandIn;
const provider = (more: Partial<OpenAiOptions> = {}): AiProvider =>
  createOpenAiProvider({
    baseUrl: openAi.url,
    apiKey: openAi.apiKey,
    captionModel: openAi.captionModel,
    embeddingModel: openAi.embeddingModel,
    dimensions: 512,
    audience: { audience: 'operator' },
    knownDimensions: () => Promise.resolve([]),
    ...more,
  });
const paths = (): string[] => openAi.requests.map((request) => request.path);

beforeEach(async () => {
  openAi = await startOpenAiStandIn({
    caption: ({ width, height }) => ` Two boats, ${width} by ${height}.\u0000 `,
  });
});
afterEach(() => openAi.close());

describe('a picture', () => {
  test('is described, and its description becomes a vector of length one', async () => {
    const { caption, vector } = await provider().analyse({ path, sizeBytes, caption: null }, signal);
    assert.equal(caption, 'Two boats, 320 by 200.');
    assert.equal(vector.length, 512);
    assert.ok(Math.abs(lengthOf(vector) - 1) < 1e-6);
    assert.deepEqual(paths(), ['/v1/chat/completions', '/v1/embeddings']);
    const [first, second] = openAi.requests;
    assert.deepEqual(Object.keys(first?.body), ['model', 'messages']);
    assert.equal(first?.body.messages[0].content[0].text, captionPrompt);
    assert.deepEqual(second?.body, {
      model: 'text-embedding-3-small',
      input: caption,
      encoding_format: 'float',
      dimensions: 512,
    });
    assert.equal(first?.headers.authorization, `Bearer ${openAi.apiKey}`);
    assert.doesNotMatch(JSON.stringify([first?.body, second?.body]), new RegExp(openAi.apiKey));
  });

  test('that has a caption keeps it and is not sent', async () => {
    const caption = ' A red barn \n in snow ';
    const analysed = await provider().analyse(
      { path: join(folder, 'missing.jpg'), sizeBytes, caption },
      signal,
    );
    assert.equal(analysed.caption, caption);
    assert.deepEqual(paths(), ['/v1/embeddings']);
    assert.equal(openAi.requests[0]?.body.input, caption);
  });

  test('with an empty caption is described', async () => {
    const { caption } = await provider().analyse({ path, sizeBytes, caption: ' ' }, signal);
    assert.match(caption ?? '', /Two boats/);
  });

  test('is found by questions about it rather than by others', async () => {
    const asked = provider();
    const { vector } = await asked.analyse({ path, sizeBytes, caption: null }, signal);
    const [about, other] = await Promise.all([
      asked.embed('two boats', signal),
      asked.embed('red barn', signal),
    ]);
    const { questionScale } = asked;
    assert.ok(questionScale.toSimilarity(cosine(vector, about)) > 0.7);
    assert.ok(questionScale.toSimilarity(cosine(vector, other)) < 0.65);
  });
});

describe('the provider', () => {
  test('names its space by model and dimensions, and compares plainly', () => {
    const { model, questionScale, pictureScale } = provider();
    assert.equal(model, 'openai/text-embedding-3-small@512');
    assert.deepEqual([questionScale.toSimilarity(0.4), pictureScale.toCosine(0.7)], [0.7, 2 * 0.7 - 1]);
  });

  test('takes addresses with a slash at the end, and with a query', async () => {
    await provider({ baseUrl: `${openAi.url}//` }).embed('boats', signal);
    await assert.rejects(provider({ baseUrl: `${openAi.url}?version=1` }).embed('boats', signal));
    assert.deepEqual(paths(), ['/v1/embeddings', '/v1/embeddings?version=1']);
  });

  test('sends half characters to nobody', async () => {
    await provider().embed('boat \ud83d', signal);
    assert.equal(openAi.requests[0]?.body.input, 'boat \ufffd');
  });
});

describe('a server that does not shorten vectors', () => {
  const known = (...lengths: number[]) => ({ knownDimensions: () => Promise.resolve(lengths) });

  test('is believed while the account has no vectors, or has them of that length', async () => {
    openAi.behave({ kind: 'ignores-dimensions' });
    for (const lengths of [[], [1536], [512, 1536]]) {
      const { vector } = await provider(known(...lengths)).analyse(
        { path, sizeBytes, caption: null },
        signal,
      );
      assert.equal(vector.length, 1536);
      assert.equal((await provider(known(...lengths)).embed('boats', signal)).length, 1536);
    }
  });

  test('is not believed when the account has vectors of other lengths, which says what to set', async () => {
    openAi.behave({ kind: 'ignores-dimensions' });
    for (const lengths of [[512], [768, 512]]) {
      await assert.rejects(provider(known(...lengths)).embed('boats', signal), {
        kind: 'answer',
        message: /1536 numbers instead of 512; set OPENAI_EMBEDDING_DIMENSIONS, .+ to 1536$/,
      });
    }
  });

  test('and refuses to, is asked without dimensions, from then on at once', async () => {
    openAi.behave({ kind: 'refuses-dimensions' });
    assert.equal((await provider().embed('boats', signal)).length, 1536);
    assert.deepEqual(
      openAi.requests.map(({ body }) => body.dimensions),
      [512, undefined],
    );
    assert.equal((await provider().embed('barns', signal)).length, 1536);
    assert.equal(openAi.requests.length, 3);
    assert.equal((await provider({ dimensions: 256 }).embed('barns', signal)).length, 1536);
    assert.equal(openAi.requests.length, 5);
  });

  test('that refuses the same without dimensions is asked with them again', async () => {
    const error = { kind: 'error', status: 400, error: { message: 'dimensions?' } } as const;
    openAi.behave(error, { times: 2 });
    await assert.rejects(provider().embed('boats', signal), { kind: 'answer' });
    await provider().embed('boats', signal);
    assert.deepEqual(
      openAi.requests.map(({ body }) => body.dimensions),
      [512, undefined, 512],
    );
  });

  test('vectors as bytes are taken', async () => {
    const change = (vector: number[]) => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
    const plain = await provider().embed('boats', signal);
    openAi.behave({ kind: 'vector', change });
    assert.ok(cosine(await provider().embed('boats', signal), plain) > 0.999999);
  });
});
