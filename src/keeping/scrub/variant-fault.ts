// What is wrong with a file that was made of an original, as far as its own bytes tell: variants and findings of models
// alike, wherever they lie.
import { hash } from 'node:crypto';
import { formats, type Format } from '../../images/address/formats.ts';
import { decodeTrailer, encodeTrailer, trailerBytes } from '../../images/variants/variant-file.ts';
import { ImageFault, type ImageType, walkWholeImage } from '../../lib/walk-image.ts';
import { isSoundPng } from './sound-png.ts';

/** Frames of films and faces have no hash, and can only be seen to be whole. Null when nothing is wrong. */
export function faultOfVariant(name: string, bytes: Buffer): string | null {
  if (name.endsWith('mask.png')) return isSoundPng(bytes) ? null : 'is no whole mask';
  if (name.endsWith('faces.json')) return isJsonList(bytes) ? null : 'is no list of faces';
  if (name.endsWith('still.jpg')) return sizeOf('image/jpeg', bytes) ? null : 'is no whole frame';
  const facts = decodeTrailer(bytes.subarray(-trailerBytes));
  if (facts === null || facts.size + trailerBytes !== bytes.length) return 'is not whole';
  const image = bytes.subarray(0, facts.size);
  if (hash('sha256', image) !== facts.sha256) return 'has other bytes than were made';
  if (!bytes.subarray(facts.size).equals(encodeTrailer(facts))) return 'does not say what it is';
  const { mediaType } = formats[name.slice(name.lastIndexOf('.') + 1) as Format] ?? {};
  const size = mediaType ? sizeOf(mediaType as ImageType, image) : null;
  if (size === null || (size.width === facts.width && size.height === facts.height)) return null;
  return 'is not as large as it says';
}

function isJsonList(bytes: Buffer): boolean {
  try {
    return Array.isArray(JSON.parse(bytes.toString()));
  } catch {
    return false;
  }
}

function sizeOf(type: ImageType, image: Buffer): { width: number; height: number } | null {
  try {
    return walkWholeImage(type, image);
  } catch (error) {
    if (error instanceof ImageFault) return null;
    throw error;
  }
}
