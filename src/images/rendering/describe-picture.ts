// What a picture looks like in a few bytes: a thumbhash, from which a page can draw a blurred likeness while the picture
// loads, and the colour there is most of.
import { rgbaToThumbHash } from 'thumbhash';
import { printColour } from '../address/colour.ts';
import { reopen, settle } from './raw-picture.ts';
import { decode, readHeader, refuseUnexpected, UndecodableError } from './steps/decode.ts';
import type { DescribeTask, Description } from './worker-protocol.ts';

/** As much as a thumbhash can take. */
const side = 100;

export async function describePicture({ inputPath, source }: DescribeTask): Promise<Description> {
  const header = await readHeader(inputPath);
  refuseUnexpected(header, source);
  const small = decode(inputPath).resize({ width: side, height: side, fit: 'inside' });
  try {
    const picture = await settle(
      header.depth === 'ushort' && header.hasProfile
        ? small.withIccProfile('srgb', { attach: false })
        : small,
    );
    const { dominant } = await reopen(picture).stats();
    const hash = rgbaToThumbHash(picture.width, picture.height, picture.pixels);
    return {
      thumbhash: Buffer.from(hash).toString('base64'),
      dominantColor: `#${printColour({ ...dominant, alpha: 1 })}`,
    };
  } catch (error) {
    throw new UndecodableError(String(error), { cause: error });
  }
}
