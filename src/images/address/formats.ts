// The formats a variant can have: what each can hold, how large it may be and how we encode it. Parsing, planning,
// encoding and error messages all read this table.

/** Above this many pixels AVIF is encoded at its fastest: the next effort takes three times as long for the same size. */
const largeAvifPixels = 2_000_000;

type FormatRow = {
  readonly mediaType: string;
  readonly keepsAlpha: boolean;
  readonly keepsAnimation: boolean;
  readonly maxSidePixels: number;
  /** Used unless the address says otherwise; null where the format has no quality to choose. */
  readonly defaultQuality: number | null;
  readonly encodeNanosecondsPerPixel: number;
  readonly encoder: 'webp' | 'avif' | 'jpeg' | 'png' | 'gif';
  encoderOptions(pixels: number): Record<string, number | string | boolean>;
};

export const formats = {
  webp: {
    mediaType: 'image/webp',
    keepsAlpha: true,
    keepsAnimation: true,
    maxSidePixels: 16_383,
    defaultQuality: 80,
    encodeNanosecondsPerPixel: 130,
    encoder: 'webp',
    encoderOptions: () => ({ effort: 2 }),
  },
  avif: {
    mediaType: 'image/avif',
    keepsAlpha: true,
    keepsAnimation: false,
    maxSidePixels: 16_384,
    defaultQuality: 55,
    encodeNanosecondsPerPixel: 300,
    encoder: 'avif',
    encoderOptions: (pixels) => ({ effort: pixels > largeAvifPixels ? 0 : 1, chromaSubsampling: '4:2:0' }),
  },
  jpg: {
    mediaType: 'image/jpeg',
    keepsAlpha: false,
    keepsAnimation: false,
    // The format allows 65,535, the library refuses more than this.
    maxSidePixels: 65_500,
    defaultQuality: 82,
    encodeNanosecondsPerPixel: 40,
    encoder: 'jpeg',
    encoderOptions: () => ({}),
  },
  png: {
    mediaType: 'image/png',
    keepsAlpha: true,
    keepsAnimation: false,
    maxSidePixels: 1_000_000,
    defaultQuality: null,
    encodeNanosecondsPerPixel: 80,
    encoder: 'png',
    encoderOptions: () => ({}),
  },
  gif: {
    mediaType: 'image/gif',
    keepsAlpha: true,
    keepsAnimation: true,
    maxSidePixels: 65_535,
    defaultQuality: null,
    encodeNanosecondsPerPixel: 1_000,
    encoder: 'gif',
    encoderOptions: () => ({ effort: 3 }),
  },
} as const satisfies Record<string, FormatRow>;

export type Format = keyof typeof formats;

/** A format as it may be asked for; `auto` is settled by what the client accepts, `json` tells facts. */
export type RequestedFormat = Format | 'auto' | 'json';

const spellings: Readonly<Record<string, RequestedFormat>> = {
  ...Object.fromEntries(Object.keys(formats).map((name) => [name, name as Format])),
  jpeg: 'jpg',
  auto: 'auto',
  json: 'json',
};

export const formatSpellings: readonly string[] = Object.keys(spellings);

export function formatOf(format: Format): FormatRow {
  return formats[format];
}

export function parseFormat(text: string): RequestedFormat | undefined {
  return Object.hasOwn(spellings, text) ? spellings[text] : undefined;
}
