// Faces found by the real worker: where they are, whatever their size, and nowhere else.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import {
  bottle,
  fixture,
  onPaper,
  sizeOf,
  missingPackages,
  useVisionWorker,
} from '../../../test/support/vision.ts';
import type { Face } from './vision-protocol.ts';

const missing = missingPackages('@vladmandic/face-api/model/tiny_face_detector_model.bin');

const vision = useVisionWorker();

suite('faces', { skip: missing, concurrency: false }, () => {
  async function facesIn(inputPath: string): Promise<readonly Face[]> {
    const answer = await vision.worker.run({ kind: 'faces', inputPath, source: await sizeOf(inputPath) });
    assert.ok(answer.kind === 'found', JSON.stringify(answer));
    return answer.faces;
  }

  function assertFaceAt(
    faces: readonly Face[],
    left: number,
    top: number,
    width: number,
    height: number,
  ): void {
    assert.equal(faces.length, 1, JSON.stringify(faces));
    const [face] = faces;
    assert.ok(face !== undefined && face.score > 0.5 && face.score <= 1);
    const expected = { left, top, width, height };
    for (const side of ['left', 'top', 'width', 'height'] as const) {
      assert.ok(
        Math.abs(face[side] - expected[side]) < 0.05,
        `${side}: ${face[side]}, not ${expected[side]}`,
      );
    }
  }

  test('a face is found where it is', async () => {
    assertFaceAt(await facesIn(fixture('astronaut.jpg')), 0.32, 0.15, 0.23, 0.21);
  });

  test('also in a picture turned by EXIF, a small one, and one that is mostly face', async () => {
    const original = sharp(fixture('astronaut.jpg'));
    const turned = original.clone().rotate(270).withMetadata({ orientation: 6 });
    const small = original.clone().resize(120, 120).png();
    const filled = original.clone().extract({ left: 110, top: 30, width: 130, height: 130 });
    assertFaceAt(
      await facesIn(await vision.scratch.save('t.jpg', await turned.jpeg().toBuffer())),
      0.32,
      0.15,
      0.23,
      0.21,
    );
    assertFaceAt(
      await facesIn(await vision.scratch.save('s.png', await small.toBuffer())),
      0.32,
      0.15,
      0.23,
      0.21,
    );
    assert.equal(
      (await facesIn(await vision.scratch.save('f.png', await filled.png().toBuffer()))).length,
      1,
    );
  });

  test('a small face in a wide picture', async () => {
    const face = await sharp(fixture('astronaut.jpg')).resize(400).toBuffer();
    const wide = sharp({ create: { width: 2000, height: 800, channels: 3, background: '#789' } });
    const image = await wide
      .composite([{ input: face, left: 1500, top: 200 }])
      .png()
      .toBuffer();
    const [best] = await facesIn(await vision.scratch.save('wide.png', image));
    assert.ok(best !== undefined && Math.abs(best.left + best.width / 2 - (1500 + 173) / 2000) < 0.02);
  });

  test('there is none in pictures without', async () => {
    const bottlePath = await vision.scratch.save(
      'b.png',
      await sharp(onPaper(bottle, 800, 1000))
        .png()
        .toBuffer(),
    );
    const dot = sharp({ create: { width: 1, height: 1, channels: 4, background: '#0000' } });
    for (const path of [
      fixture('coffee.jpg'),
      bottlePath,
      await vision.scratch.save('dot.png', await dot.png().toBuffer()),
    ]) {
      assert.deepEqual(await facesIn(path), []);
    }
  });
});
