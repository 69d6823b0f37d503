// Why a picture is refused: one class with a kind for the program and a sentence for the uploader.

export type ImageFaultKind = 'truncated' | 'corrupt' | 'too_many_pixels' | 'too_many_frames' | 'unsupported';

export class ImageFault extends Error {
  readonly fault: ImageFaultKind;

  constructor(fault: ImageFaultKind, message: string) {
    super(message);
    this.name = 'ImageFault';
    this.fault = fault;
  }
}

export function truncated(): ImageFault {
  return new ImageFault('truncated', 'The picture is cut short: its end is missing');
}

export function corrupt(detail: string): ImageFault {
  return new ImageFault('corrupt', `The picture is damaged: ${detail}`);
}

export function unsupported(sentence: string): ImageFault {
  return new ImageFault('unsupported', sentence);
}
