// What the reference shows for each token: addresses, and the photograph they are made of. The pictures themselves are made by
// `npm run docs:pictures`.
import type { TokenName } from '../../src/images/address/tokens.ts';

export type PicturedSource = 'boats' | 'canyon' | 'allium' | 'airplane' | 'astronaut' | 'coffee' | 'cat';
type Pictured = { readonly of: PicturedSource; readonly addresses: readonly [string, ...string[]] };

const pictured: Readonly<Record<TokenName, Pictured>> = {
  w: { of: 'boats', addresses: ['w-160'] },
  h: { of: 'boats', addresses: ['h-80'] },
  fit: {
    of: 'boats',
    addresses: [
      'w-180_h-90',
      'w-180_h-90_fit-contain_bg-c9b79c',
      'w-180_h-90_fit-fill',
      'w-180_h-90_fit-inside',
    ],
  },
  g: { of: 'astronaut', addresses: ['w-180_h-90_g-face', 'w-180_h-90_g-bottom'] },
  fp: { of: 'airplane', addresses: ['w-90_h-120_fp-0.2-0.35'] },
  ar: { of: 'canyon', addresses: ['w-180_ar-16-9'] },
  crop: { of: 'boats', addresses: ['crop-420-330-360-260_w-180'] },
  dpr: { of: 'coffee', addresses: ['w-180_dpr-2'] },
  q: { of: 'coffee', addresses: ['w-180_q-1'] },
  rot: { of: 'coffee', addresses: ['w-180_rot-12'] },
  flip: { of: 'coffee', addresses: ['w-180_flip-h'] },
  blur: { of: 'coffee', addresses: ['w-180_blur-4'] },
  sharp: { of: 'boats', addresses: ['w-180_h-120_sharp-100'] },
  bri: { of: 'coffee', addresses: ['w-180_bri-30'] },
  con: { of: 'coffee', addresses: ['w-180_con-40'] },
  sat: { of: 'coffee', addresses: ['w-180_sat-n70'] },
  gam: { of: 'coffee', addresses: ['w-180_gam-60'] },
  hue: { of: 'coffee', addresses: ['w-180_hue-180'] },
  gray: { of: 'coffee', addresses: ['w-180_gray'] },
  invert: { of: 'coffee', addresses: ['w-180_invert'] },
  sepia: { of: 'coffee', addresses: ['w-180_sepia'] },
  'bg-remove': { of: 'astronaut', addresses: ['w-160_bg-remove'] },
  bg: { of: 'allium', addresses: ['w-120_h-150_bg-remove_bg-7fa8a3'] },
  pad: { of: 'coffee', addresses: ['w-148_pad-16_bg-c9b79c'] },
  border: { of: 'coffee', addresses: ['w-168_border-6-336699'] },
  r: { of: 'astronaut', addresses: ['w-120_h-120_g-face_r-max', 'w-180_h-90_g-face_r-24'] },
  trim: { of: 'allium', addresses: ['h-120', 'trim-30_h-120'] },
  mark: { of: 'boats', addresses: ['w-180_mark-logo'] },
  markpos: { of: 'boats', addresses: ['w-180_mark-logo_markpos-top-left'] },
  markw: { of: 'boats', addresses: ['w-180_mark-logo_markw-50'] },
  marka: { of: 'boats', addresses: ['w-180_mark-logo_markw-50_marka-30'] },
  anim: { of: 'cat', addresses: ['w-160', 'w-160_anim-0'] },
  page: { of: 'cat', addresses: ['w-160_page-7'] },
  t: { of: 'cat', addresses: ['w-160_t-1.5'] },
  meta: { of: 'coffee', addresses: ['w-180_meta-copyright'] },
  preset: { of: 'boats', addresses: ['preset-card'] },
  v: { of: 'coffee', addresses: ['w-180_v-2'] },
};

/** Kept in the account whose pictures are shown. */
export const picturedPresets = { card: 'w-180_h-120_g-auto_r-16' };

/** As the pictures are made: for screens of two pixels per pixel, and for a page. */
export const picturedDensity = 2;

export type TokenPicture = { readonly of: PicturedSource; readonly address: string; readonly file: string };

export function picturesOf(name: TokenName): TokenPicture[] {
  const { of, addresses } = pictured[name];
  return addresses.map((address, index) => ({
    of,
    address,
    file: `docs/images/tokens/${name}${index === 0 ? '' : `-${index + 1}`}.webp`,
  }));
}
