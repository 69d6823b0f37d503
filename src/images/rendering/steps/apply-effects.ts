// Colours and sharpness. The order is the image library's own: blur, sepia, colours, sharpness, gamma, contrast, negative.
import type { Sharp } from 'sharp';
import type { Effects } from '../effects.ts';
import type { Step } from './step.ts';

type Tones = [[number, number, number], [number, number, number], [number, number, number]];

const luma: Tones[0] = [0.2126, 0.7152, 0.0722];
const greyTones: Tones = [luma, luma, luma];
const sepiaTones: Tones = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
];
const middleGrey = 128;

export const applyEffects: Step = (image, { plan: { effects } }) =>
  effects === null ? image : [focus, colours, tones].reduce((result, apply) => apply(result, effects), image);

function focus(image: Sharp, { blurSigma, sharpen }: Effects): Sharp {
  const blurred = blurSigma === null ? image : image.blur(blurSigma);
  return sharpen === null ? blurred : blurred.sharpen({ sigma: 1, m1: sharpen, m2: 2 * sharpen });
}

function colours(image: Sharp, { brightness, saturation, hue, gray, sepia }: Effects): Sharp {
  let result = image;
  if (brightness !== 1 || saturation !== 1 || hue !== 0)
    result = result.modulate({ brightness, saturation, hue });
  if (sepia) return result.recomb(sepiaTones);
  // The library's own way would leave one channel, and what follows counts on all.
  return gray ? result.recomb(greyTones) : result;
}

function tones(image: Sharp, { gamma, contrast, invert }: Effects): Sharp {
  let result = image;
  // The library takes factors of at least 1, one for each direction.
  if (gamma > 1) result = result.gamma(1, gamma);
  if (gamma < 1) result = result.gamma(1 / gamma, 1);
  if (contrast !== 1) result = result.linear(contrast, middleGrey * (1 - contrast));
  return invert ? result.negate({ alpha: false }) : result;
}
