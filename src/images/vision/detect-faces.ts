// Looks for faces in a picture at more than one size: the detector knows faces from a tenth to the whole of what it
// looks at, and takes other things for faces where they would have to be found at another size.
import type { Size } from '../rendering/geometry.ts';
import type { FaceWeights } from './face-weights.ts';
import { findFaces, withoutRepeats } from './find-faces.ts';
import { openStill, resizePixels } from './open-still.ts';
import type { Face, FacesTask } from './vision-protocol.ts';

type Look = {
  readonly sidePixels: number;
  /** Faces it is trusted with, as shares of the longer side. */
  readonly from: number;
  readonly to: number;
};

const firstLook: Look = { sidePixels: 416, from: 0, to: 1 };
const closerLook: Look = { sidePixels: 832, from: 0, to: 0.15 };
const looks = [firstLook, closerLook, { sidePixels: 192, from: 0.4, to: 1 }];
const minScore = 0.5;
/** With one this sure the other looks are saved. */
const sureScore = 0.7;

/** Best first. */
export async function detectFaces(task: FacesTask, weights: () => Promise<FaceWeights>): Promise<Face[]> {
  const { colours } = await openStill(task.inputPath, task.source, closerLook.sidePixels);
  const loaded = await weights();
  let faces: Face[] = [];
  for (const look of looks) {
    // A closer look at a small picture shows nothing new.
    if (look === closerLook && Math.max(colours.width, colours.height) <= firstLook.sidePixels) continue;
    const picture = await resizePixels(colours, withLongerSide(colours, look.sidePixels));
    const found = findFaces(picture, loaded, minScore).filter((face) => isTrusted(face, picture, look));
    faces = withoutRepeats([...faces, ...found]);
    if (faces.some(({ score }) => score >= sureScore)) break;
  }
  return faces;
}

function isTrusted(face: Face, { width, height }: Size, { from, to }: Look): boolean {
  const share = Math.max(face.width * width, face.height * height) / Math.max(width, height);
  return share >= from && share <= to;
}

/** Small pictures are enlarged: the detector is blind to faces of a few pixels. */
function withLongerSide({ width, height }: Size, side: number): Size {
  const scale = side / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
