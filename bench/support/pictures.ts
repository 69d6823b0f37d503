// Pictures to upload. Noise, because it compresses as badly as a photograph and needs no file in the repository.
import sharp from 'sharp';

export function noisePicture(side: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width: side, height: side, channels: 3, background: 'grey', noise } })
    .jpeg()
    .toBuffer();
}

/** Exactly so many bytes: the largest picture that fits, then zeros, which every decoder ignores. */
export async function jpegOf(bytes: number): Promise<Buffer> {
  const picture = Buffer.alloc(bytes);
  let fitting = await noisePicture(16);
  for (let side = 32; fitting.length <= bytes; side += 16) {
    picture.fill(0);
    fitting.copy(picture);
    fitting = await noisePicture(side);
  }
  return picture;
}
