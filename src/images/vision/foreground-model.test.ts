// Models an operator may bring: each family is shown pictures at its size and scale, and one that cannot be used is named.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import sharp from 'sharp';
import { tinyModel } from '../../../test/support/tiny-onnx.ts';
import { onPaper, missingPackages, useVisionWorker } from '../../../test/support/vision.ts';

const missing = missingPackages('onnxruntime-node');

const vision = useVisionWorker();

suite("a model of the operator's", { skip: missing, concurrency: false }, () => {
  const light = '<circle cx="150" cy="100" r="60" fill="#fff"/>';
  let picture: string;
  before(async () => {
    picture = await vision.scratch.save(
      'light.png',
      await sharp(onPaper(light, 300, 200, '#000'))
        .png()
        .toBuffer(),
    );
  });

  const models = {
    'isnet-any.onnx': tinyModel({ height: 48, width: 64, factor: 1, offset: 0.5 }),
    'large.onnx': tinyModel({ height: 'height', width: 'width', factor: 1, offset: 0.5 }),
    'birefnet-like.onnx': tinyModel({ height: 256, width: 128, factor: 40, offset: 0 }),
    'u2net-like.onnx': tinyModel({ height: 320, width: 320, factor: 0.225, offset: 0.45 }),
  };
  for (const [name, model] of Object.entries(models)) {
    test(`${name} is shown what it expects`, async () => {
      const mask = await vision.maskFor(picture, await vision.scratch.save(name, model));
      assert.equal(mask.subject, true);
      assert.ok(mask.at(150, 100) > 240 && mask.at(20, 20) < 15);
      assert.ok(mask.at(150, 45) > 240 && mask.at(150, 35) < 15);
    });
  }

  test('one that cannot be used is named', async () => {
    const garbage = await vision.scratch.save('garbage.onnx', Buffer.from('no model'));
    const grey = tinyModel({ height: 8, width: 8, channels: 1, factor: 1, offset: 0 });
    for (const path of [
      garbage,
      join(vision.scratch.path, 'absent.onnx'),
      await vision.scratch.save('grey.onnx', grey),
    ]) {
      const outputPath = join(vision.scratch.path, 'none.png');
      const source = { width: 300, height: 200 };
      const answer = await vision.worker.run({
        kind: 'mask',
        inputPath: picture,
        source,
        outputPath,
        modelPath: path,
      });
      assert.ok(answer.kind === 'unavailable' && answer.reason.includes(path), JSON.stringify(answer));
    }
  });
});
