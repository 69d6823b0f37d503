// What whoever gives us a file of another kind is told.
import type { SniffedType } from './sniffers/sniffed-type.ts';

export function unsupportedType({ label }: SniffedType): string {
  if (/HEI[CF]/.test(label))
    return 'HEIC pictures are not supported; convert it to JPEG, PNG, WebP or AVIF and upload that';
  const supported = 'Supported are JPEG, PNG, GIF, WebP, AVIF, and films as MP4, MOV, AVI, MKV, WebM or MPEG';
  return `This is not a supported image or video but ${label}. ${supported}`;
}
