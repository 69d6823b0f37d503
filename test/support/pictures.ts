// Real pictures for tests, made by the real encoder: noise, so that they have the size and weight of photographs.
import sharp from 'sharp';

type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';

export function picture(
  width: number,
  height: number,
  format: Format = 'jpeg',
  options: { alpha?: boolean; quality?: number } = {},
): Promise<Buffer> {
  const image = sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  });
  return (options.alpha ? image.ensureAlpha(0.5) : image)
    .toFormat(format, options.quality ? { quality: options.quality } : {})
    .toBuffer();
}
