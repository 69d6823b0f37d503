// What a walk over a picture finds out, and the turning of its stored size into the size people see.

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'image/avif';

export type Size = { width: number; height: number };

export type ImageFacts = {
  type: ImageType;
  /** As displayed, which is what sharp().autoOrient() produces. */
  width: number;
  height: number;
  /** The EXIF orientation a decoder leaves to its caller. Always 1 for AVIF: its rotation is part of decoding. */
  orientation: number;
  frames: number;
  alpha: boolean;
};

type Found = { stored: Size; orientation?: number; frames?: number; alpha: boolean };

export function factsOf(type: ImageType, { stored, orientation = 1, frames = 1, alpha }: Found): ImageFacts {
  const { width, height } = orientation >= 5 ? { width: stored.height, height: stored.width } : stored;
  return { type, width, height, orientation, frames, alpha };
}
