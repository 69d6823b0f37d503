// Which names are taken for models, and which files for a whole one.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { tinyCaptioner, tinyClip, writeModel } from '../../../../test/support/tiny-models.ts';
import { findCaptionModel, findEmbeddingModel, isModelName, readFamily } from './model-files.ts';

let modelsDir = '';
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'tintype-models-'));
});
after(() => rm(modelsDir, { recursive: true }));

test('names lead nowhere but into the folder', () => {
  for (const name of ['Xenova/siglip-base-patch16-224', 'clip', 'a/b', 'owner.x/model_1.5'])
    assert.ok(isModelName(name), name);
  const refused = [
    '',
    '.',
    '..',
    '../x',
    'a/..',
    'a/../b',
    '/etc',
    'a/b/c',
    'a\\b',
    'C:\\x',
    './a',
    'a/',
    '-a',
    'a b',
  ];
  for (const name of [...refused, 'a\0', 'a\nb', 'http://x/y', 'a--b', 'x.git', 'a/.b', 'ä/b'])
    assert.ok(!isModelName(name), name);
});

test('the smaller form is taken first, each part by itself', async () => {
  await writeModel(modelsDir, 'both', { ...tinyClip(), ...tinyClip({ quantised: true }) });
  await writeModel(modelsDir, 'large', tinyClip());
  assert.deepEqual(await findEmbeddingModel(modelsDir, 'both'), {
    name: 'both',
    family: 'clip',
    vision: 'q8',
    text: 'q8',
  });
  assert.deepEqual(await findEmbeddingModel(modelsDir, 'large'), {
    name: 'large',
    family: 'clip',
    vision: 'fp32',
    text: 'fp32',
  });
});

test('what is missing is named, and other kinds are told from ours', async () => {
  const { 'tokenizer.json': _, 'onnx/text_model.onnx': __, ...rest } = tinyClip();
  await writeModel(modelsDir, 'half', rest);
  assert.deepEqual(await findEmbeddingModel(modelsDir, 'half'), {
    missing: ['tokenizer.json', 'onnx/text_model_quantized.onnx'],
  });
  await writeModel(modelsDir, 'other', { ...tinyClip(), 'config.json': { model_type: 'bert' } });
  assert.deepEqual(await findEmbeddingModel(modelsDir, 'other'), { unknownKind: 'bert' });
  assert.equal(readFamily(modelsDir, 'other'), null);
});

test('a model that captions is whole with its encoder and its merged decoder', async () => {
  await writeModel(modelsDir, 'captions', tinyCaptioner());
  assert.deepEqual(await findCaptionModel(modelsDir, 'captions'), {
    name: 'captions',
    encoder: 'fp32',
    decoder: 'fp32',
  });
  assert.ok('missing' in (await findCaptionModel(modelsDir, 'nowhere')));
});
