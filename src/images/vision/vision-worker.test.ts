// What the vision worker refuses, and that it lives without the optional packages.
import assert from 'node:assert/strict';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import {
  bottle,
  fixture,
  onPaper,
  startVisionWorker,
  useVisionWorker,
} from '../../../test/support/vision.ts';

const vision = useVisionWorker();

const maskPath = (): string => join(vision.scratch.path, 'mask.png');

suite('what is not a picture', { concurrency: false }, () => {
  for (const kind of ['mask', 'faces'] as const) {
    test(`${kind}: broken, foreign, other than promised, gone`, async () => {
      const whole = await sharp(fixture('astronaut.jpg')).png().toBuffer();
      const cut = await vision.scratch.save('cut-off.png', whole.subarray(0, whole.length / 2));
      const svg = await vision.scratch.save('picture.svg', onPaper(bottle, 400, 400));
      const cases = [
        [cut, 400, 'undecodable'],
        [svg, 400, 'undecodable'],
        [fixture('astronaut.jpg'), 399, 'undecodable'],
        [join(vision.scratch.path, 'gone'), 400, 'missing'],
      ] as const;
      for (const [inputPath, side, expected] of cases) {
        const source = { width: side, height: side };
        const task = { inputPath, source, outputPath: maskPath(), modelPath: null };
        assert.equal((await vision.worker.run({ kind, ...task })).kind, expected, inputPath);
      }
    });
  }
});

test('without the optional packages it starts, and says what is missing', async () => {
  const folder = join(vision.scratch.path, 'bare');
  const root = new URL('../../..', import.meta.url);
  await cp(new URL('src', root), join(folder, 'src'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(new URL('node_modules/sharp', root), join(folder, 'node_modules/sharp'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await using bare = await startVisionWorker(join(folder, 'src/images/vision/vision-worker.ts'));
  const task = { inputPath: fixture('astronaut.jpg'), source: { width: 400, height: 400 } };
  const mask = await bare.run({ kind: 'mask', ...task, outputPath: maskPath(), modelPath: null });
  const faces = await bare.run({ kind: 'faces', ...task });
  assert.deepEqual([mask.kind, faces.kind], ['unavailable', 'unavailable']);
});
