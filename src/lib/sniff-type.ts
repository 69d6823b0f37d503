// Says what a file is by its first bytes alone, never by its name or what a client calls it.
import type { Buffer } from 'node:buffer';
import { signatures } from './sniffers/signatures.ts';
import { sniffIsoMedia } from './sniffers/iso-media.ts';
import type { SniffedType } from './sniffers/sniffed-type.ts';
import { sniffText } from './sniffers/text.ts';

/** Enough to tell every kind; a shorter file is told as well as it can be. */
export const SNIFF_BYTES = 512;

const unknown: SniffedType = {
  kind: 'refused',
  type: 'application/octet-stream',
  label: 'a file of an unknown kind',
};

export function sniffType(file: Buffer): SniffedType {
  const head = file.subarray(0, SNIFF_BYTES);
  return (
    sniffSignature(head) ??
    sniffIsoMedia(head) ??
    sniffMatroska(head) ??
    sniffTransportStream(head) ??
    sniffText(head) ??
    unknown
  );
}

function sniffSignature(head: Buffer): SniffedType | undefined {
  const found = signatures.find(({ parts }) =>
    parts.every(({ at, bytes }) => head.subarray(at, at + bytes.length).equals(bytes)),
  );
  return found?.is;
}

function sniffMatroska(head: Buffer): SniffedType | undefined {
  if (head.length < 4 || head.readUInt32BE(0) !== 0x1a45dfa3) return undefined;
  const docType = /\x42\x82[\x80-\xff](webm|matroska)/.exec(head.toString('latin1'))?.[1];
  if (docType === undefined) return unknown;
  return docType === 'webm'
    ? { kind: 'video', type: 'video/webm', label: 'a WebM video' }
    : { kind: 'video', type: 'video/x-matroska', label: 'a Matroska video' };
}

/** A sync byte at the start of every packet; cameras put a 4-byte time stamp before each. One alone proves nothing. */
function sniffTransportStream(head: Buffer): SniffedType | undefined {
  const layouts = [
    { first: 0, packet: 188 },
    { first: 4, packet: 192 },
  ];
  const matches = layouts.some(({ first, packet }) => {
    const places = [first, first + packet, first + 2 * packet].filter((at) => at < head.length);
    return places.length >= 2 && places.every((at) => head[at] === 0x47);
  });
  return matches ? { kind: 'video', type: 'video/mp2t', label: 'an MPEG transport stream' } : undefined;
}
