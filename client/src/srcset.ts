// `srcset` for an `<img>`: the browser picks the size it needs.

export type SrcsetOptions =
  | { readonly widths: readonly number[] }
  /** The width the picture has on the page, for several densities of pixels. */
  | { readonly width: number; readonly densities?: readonly number[] };

export function srcset(addressOf: (width: number) => string, options: SrcsetOptions): string {
  if ('widths' in options) return options.widths.map((width) => `${addressOf(width)} ${width}w`).join(', ');
  const { width, densities = [1, 2, 3] } = options;
  return densities.map((density) => `${addressOf(Math.round(width * density))} ${density}x`).join(', ');
}
