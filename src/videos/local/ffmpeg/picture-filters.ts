// How decoded pictures become those of our streams, in FFmpeg's language of filters: fields woven, turned upright, pixels
// square, colours those of ordinary screens. Pure text, so that every case can be read and tested.
import type { Display } from './display.ts';

/** Of a decoded frame, by FFmpeg's numbers where it counts and its names where a decision hangs on it. */
export type SourcePicture = {
  readonly width: number;
  readonly height: number;
  readonly pixelFormat: number;
  readonly isRgb: boolean;
  readonly interlaced: boolean;
  readonly matrix: string;
  readonly range: number;
  readonly primaries: string;
  readonly transfer: string;
};

export type WantedPicture = { readonly width: number; readonly height: number };

const hdrTransfers = new Set(['smpte2084', 'arib-std-b67']);
const wideMatrices = new Set(['bt2020nc', 'bt2020c']);
const unknown = 'unknown';
/** From this height on films without a word about it are taken for HD. */
const hdHeight = 720;

/** Frames come in with moments in ticks. */
export function pictureFilters(
  source: SourcePicture,
  { rotation, mirrored }: Display,
  outputs: readonly WantedPicture[],
  { maxFrameRate }: { maxFrameRate: number | null },
): string {
  const [largest] = outputs as [WantedPicture];
  const upright = rotation % 180 === 0 ? largest : { width: largest.height, height: largest.width };
  const chain = [
    sourceFilter(source),
    ...(source.interlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : []),
    ...(maxFrameRate === null ? [] : [`fps=${maxFrameRate}`]),
    ...namedColours(source),
    // Everything after works on as few pixels as there will be.
    scaleFilter(upright, source),
    ...toOrdinaryColours(source),
    ...(mirrored ? ['hflip'] : []),
    ...turns[rotation],
    'format=yuv420p',
    'setsar=1',
  ].join(',');
  if (outputs.length === 1) return `${chain},buffersink@out0`;
  const names = outputs.map((_, index) => `[s${index}]`);
  const ends = outputs.map(({ width, height }, index) => {
    const scaled = index === 0 ? '' : `scale=${width}:${height}:flags=bicubic,setsar=1,`;
    return `${names[index]}${scaled}buffersink@out${index}`;
  });
  return [`${chain},split=${outputs.length}${names.join('')}`, ...ends].join(';');
}

/** The same for one picture to be looked at by itself: JPEG has colours of its own kind. */
export function stillFilters(source: SourcePicture, display: Display, wanted: WantedPicture): string {
  const shown = pictureFilters(source, display, [wanted], { maxFrameRate: null });
  return shown.replace(
    ',buffersink@out0',
    ',scale=out_color_matrix=bt601:out_range=full,format=yuvj420p,buffersink@out0',
  );
}

const turns: Record<Display['rotation'], readonly string[]> = {
  0: [],
  90: ['transpose=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=cclock'],
};

/** The way in, for frames with moments in ticks. */
export function sourceFilter({ width, height, pixelFormat, matrix, range }: SourcePicture): string {
  return `buffer@in=video_size=${width}x${height}:pix_fmt=${pixelFormat}:time_base=1/90000:colorspace=${matrix}:range=${range}`;
}

function scaleFilter({ width, height }: WantedPicture, { isRgb }: SourcePicture): string {
  const matrix = isRgb ? ':out_color_matrix=bt709' : '';
  return `scale=${width}:${height}:flags=bicubic:out_range=limited${matrix}`;
}

/** A rung smaller than the film would otherwise be guessed to have the colours of its own size. */
function namedColours({ height, isRgb, matrix, primaries, transfer }: SourcePicture): string[] {
  const [usual, usualPrimaries] = height >= hdHeight ? ['bt709', 'bt709'] : ['smpte170m', 'smpte170m'];
  const named = [
    ...(matrix === unknown && !isRgb ? [`colorspace=${usual}`] : []),
    ...(primaries === unknown ? [`color_primaries=${isRgb ? 'bt709' : usualPrimaries}`] : []),
    ...(transfer === unknown ? [`color_trc=${isRgb ? 'bt709' : usual}`] : []),
  ];
  return named.length === 0 ? [] : [`setparams=${named.join(':')}`];
}

function toOrdinaryColours({ transfer, matrix, primaries }: SourcePicture): string[] {
  if (hdrTransfers.has(transfer))
    return [
      'zscale=transfer=linear:npl=100',
      'format=gbrpf32le',
      'zscale=primaries=bt709',
      'tonemap=tonemap=hable:desat=0',
      'zscale=transfer=bt709:matrix=bt709:range=limited',
    ];
  return wideMatrices.has(matrix) || primaries === 'bt2020'
    ? ['zscale=primaries=bt709:transfer=bt709:matrix=bt709:range=limited']
    : [];
}
