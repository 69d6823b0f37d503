// What the filters must know of a decoded frame.
import {
  AVCOL_PRI_BT2020,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_RGB,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AVCOL_TRC_UNSPECIFIED,
  AV_FRAME_FLAG_INTERLACED,
} from 'node-av/constants';
import type { AVPixelFormat } from 'node-av/constants';
import { avGetPixFmtName } from 'node-av/lib';
import type { Frame } from 'node-av/lib';
import type { SourcePicture } from './picture-filters.ts';

const matrices = new Map<number, string>([
  [AVCOL_SPC_RGB, 'gbr'],
  [AVCOL_SPC_BT709, 'bt709'],
  [AVCOL_SPC_BT470BG, 'bt470bg'],
  [AVCOL_SPC_SMPTE170M, 'smpte170m'],
  [AVCOL_SPC_BT2020_NCL, 'bt2020nc'],
  [AVCOL_SPC_BT2020_CL, 'bt2020c'],
]);
const transfers = new Map<number, string>([
  [AVCOL_TRC_UNSPECIFIED, 'unknown'],
  [0, 'unknown'],
  [AVCOL_TRC_SMPTE2084, 'smpte2084'],
  [AVCOL_TRC_ARIB_STD_B67, 'arib-std-b67'],
]);
const primaries = new Map<number, string>([
  [AVCOL_PRI_UNSPECIFIED, 'unknown'],
  [0, 'unknown'],
  [AVCOL_PRI_BT2020, 'bt2020'],
]);

export function sourcePictureOf(frame: Frame): SourcePicture {
  const isRgb = /^(0|x|a)?(rgb|bgr)|^gbr|^pal8|^mono/.test(
    avGetPixFmtName(frame.format as AVPixelFormat) ?? '',
  );
  return {
    width: frame.width,
    height: frame.height,
    pixelFormat: frame.format,
    isRgb,
    interlaced: (frame.flags & AV_FRAME_FLAG_INTERLACED) !== 0,
    matrix: isRgb ? 'gbr' : (matrices.get(frame.colorSpace) ?? 'unknown'),
    range: frame.colorRange,
    primaries: primaries.get(frame.colorPrimaries) ?? 'other',
    transfer: transfers.get(frame.colorTrc) ?? 'other',
  };
}

/** Whether the filters made for one fit the other too. */
export function isSameKind(one: SourcePicture, other: SourcePicture): boolean {
  return (Object.keys(one) as (keyof SourcePicture)[]).every(
    (key) => key === 'interlaced' || one[key] === other[key],
  );
}
