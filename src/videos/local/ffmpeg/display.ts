// How a film wants to be shown: turned and mirrored by the matrix beside its stream, and with pixels that need not be square.
import { AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants';
import type { Stream } from 'node-av/lib';
import type { FilmFacts } from '../../film.ts';

export type Display = {
  /** As shown. */
  readonly width: number;
  readonly height: number;
  /** Clockwise, after mirroring. */
  readonly rotation: FilmFacts['rotation'];
  readonly mirrored: boolean;
};

/** Beyond it the shape of the pixels is a lie or a joke. */
const maxPixelAspect = 8;

export function displayOf(stream: Stream): Display {
  const { codecpar } = stream;
  const { rotation, mirrored } = turnOf(codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX));
  const aspect = pixelAspect(stream.sampleAspectRatio) ?? pixelAspect(codecpar.sampleAspectRatio) ?? 1;
  // Never fewer pixels than the film has.
  const width = aspect > 1 ? Math.round(codecpar.width * aspect) : codecpar.width;
  const height = aspect < 1 ? Math.round(codecpar.height / aspect) : codecpar.height;
  return rotation % 180 === 0
    ? { width, height, rotation, mirrored }
    : { width: height, height: width, rotation, mirrored };
}

function pixelAspect({ num, den }: { num: number; den: number }): number | null {
  const aspect = num / den;
  return num > 0 && den > 0 && aspect <= maxPixelAspect && aspect >= 1 / maxPixelAspect ? aspect : null;
}

/** Of the nine numbers the first, second, fourth and fifth turn, mirror and scale. */
export function turnOf(matrix: Buffer | null): Pick<Display, 'rotation' | 'mirrored'> {
  if (matrix === null || matrix.length < 36) return { rotation: 0, mirrored: false };
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => matrix.readInt32LE(at)) as [number, number, number, number];
  const mirrored = a * d - b * c < 0;
  const degrees = (Math.atan2(mirrored ? -b : b, mirrored ? -a : a) * 180) / Math.PI;
  const quarters = ((Math.round(degrees / 90) % 4) + 4) % 4;
  return { rotation: (quarters * 90) as FilmFacts['rotation'], mirrored };
}
