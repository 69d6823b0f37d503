// Colours as an address writes them: hex digits or a CSS name. Each has one canonical spelling, its hex digits.
import names from 'color-name';

export type Colour = { readonly r: number; readonly g: number; readonly b: number; readonly alpha: number };

export const white: Colour = { r: 255, g: 255, b: 255, alpha: 1 };
export const transparent: Colour = { r: 0, g: 0, b: 0, alpha: 0 };

export function parseColour(text: string): Colour | undefined {
  if (text === 'transparent') return transparent;
  if (Object.hasOwn(names, text)) {
    const [r, g, b] = names[text as keyof typeof names];
    return { r, g, b, alpha: 1 };
  }
  if (!/^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return undefined;
  const digits = text.length < 6 ? text.replace(/./g, '$&$&') : text;
  const [r = 0, g = 0, b = 0, a = 255] = Buffer.from(digits, 'hex');
  // Of a colour nobody sees only that is left.
  return a === 0 ? transparent : { r, g, b, alpha: a / 255 };
}

export function printColour({ r, g, b, alpha }: Colour): string {
  const bytes = alpha === 1 ? [r, g, b] : [r, g, b, Math.round(alpha * 255)];
  return Buffer.from(bytes).toString('hex');
}

export function isOpaque({ alpha }: Colour): boolean {
  return alpha === 1;
}
