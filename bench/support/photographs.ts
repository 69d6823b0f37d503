// Pictures of 12 megapixels with the statistics of photographs, composed anew so that none lies in the repository: a small
// real photograph enlarged, overlaid with discs of every size ("dead leaves", which give edges at every scale) and with
// noise in octaves (texture and grain). About 4 MB as JPEG of quality 90, as cameras write them.
import { join } from 'node:path';
import sharp from 'sharp';
import { type Random, seededRandom } from '../../test/support/random.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'test', 'fixtures');
const sources = ['astronaut.jpg', 'coffee.jpg'];
const size = { width: 4000, height: 3000 };
const leaves = 1500;
const smallestLeaf = 6;
const largestLeaf = 900;
/** Grain, then texture that is coarser with each. */
const octaves = [
  { scale: 1, sigma: 6 },
  { scale: 2, sigma: 7 },
  { scale: 4, sigma: 8 },
  { scale: 16, sigma: 8 },
];

/** Each differs from the others; the same each time but for its noise. */
export async function photographs(count: number): Promise<Buffer[]> {
  const planes = await Promise.all(octaves.map(noisePlane));
  const made: Buffer[] = [];
  for (let seed = 0; seed < count; seed++) made.push(await photograph(seed, planes));
  return made;
}

async function photograph(seed: number, planes: readonly Buffer[]): Promise<Buffer> {
  const random = seededRandom(seed);
  const pixels = await sharp(join(fixtures, sources[seed % sources.length] as string))
    .resize({ ...size, fit: 'cover' })
    .modulate({ brightness: random.between(85, 115) / 100 })
    .flop(random.chance(0.5))
    .composite([{ input: deadLeaves(random) }])
    .removeAlpha()
    .raw()
    .toBuffer();
  // Clamped, so that bright and dark parts do not wrap around.
  const noisy = new Uint8ClampedArray(pixels);
  // Making noise takes seconds: each picture has the same, from another point on.
  for (const plane of planes) addTo(noisy, plane, random.between(0, plane.length - 1));
  return sharp(noisy, { raw: { ...size, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** A small photograph enlarged: soft, and so quick to encode. */
export function softPhotograph(width: number): Promise<Buffer> {
  return sharp(join(fixtures, 'coffee.jpg')).resize({ width }).jpeg({ quality: 90 }).toBuffer();
}

function deadLeaves(random: Random): Buffer {
  const { width, height } = size;
  const discs = Array.from({ length: leaves }, () => {
    // Every size covers as much as any other: the number of radii falls with their third power.
    const share = random.between(0, 1e6) / 1e6;
    const radius = (smallestLeaf ** -2 + share * (largestLeaf ** -2 - smallestLeaf ** -2)) ** -0.5;
    const [x, y, hue, light] = [width, height, 360, 100].map((most) => random.between(0, most));
    return `<circle cx="${x}" cy="${y}" r="${radius.toFixed(1)}" fill="hsl(${hue},35%,${light}%)" fill-opacity="0.5"/>`;
  });
  return Buffer.from(`<svg width="${width}" height="${height}">${discs.join('')}</svg>`);
}

/** Of one channel, around 128. */
function noisePlane({ scale, sigma }: (typeof octaves)[number]): Promise<Buffer> {
  const create = {
    width: Math.ceil(size.width / scale),
    height: Math.ceil(size.height / scale),
    channels: 3,
    background: 'grey',
    noise: { type: 'gaussian', mean: 128, sigma },
  } as const;
  return sharp({ create })
    .extractChannel(0)
    .resize({ ...size, fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
}

function addTo(pixels: Uint8ClampedArray, plane: Buffer, start: number): void {
  for (let i = 0; i < plane.length; i++) {
    const added = (plane[(i + start) % plane.length] as number) - 128;
    for (let channel = 3 * i; channel < 3 * i + 3; channel++)
      pixels[channel] = (pixels[channel] as number) + added;
  }
}
