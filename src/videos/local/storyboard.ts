// The storyboard of a film: thumbnails side by side in one picture, and a WebVTT file that tells which of them belongs to
// which moment, as players read it to show where a seek will land.

export type StoryboardPlan = {
  readonly intervalMs: number;
  readonly count: number;
  readonly columns: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
  /** Every thumbnail falls on a keyframe of our rungs, so that nothing else need be decoded. */
  readonly keyframesOnly: boolean;
};

const maxCount = 100;
const maxColumns = 10;
const thumbnailWidth = 160;
const shortestIntervalMs = 1000;
const keyframeIntervalMs = 4000;

export function planStoryboard(film: {
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
}): StoryboardPlan {
  const keyframesOnly = film.durationMs > shortestIntervalMs * maxCount;
  const unitMs = keyframesOnly ? keyframeIntervalMs : shortestIntervalMs;
  const intervalMs = unitMs * Math.max(1, Math.ceil(film.durationMs / maxCount / unitMs));
  const count = Math.max(1, Math.ceil(film.durationMs / intervalMs));
  const columns = Math.min(count, maxColumns);
  const height = Math.max(2, Math.round((thumbnailWidth * film.height) / film.width / 2) * 2);
  const rows = Math.ceil(count / columns);
  return { intervalMs, count, columns, rows, width: thumbnailWidth, height, keyframesOnly };
}

export function storyboardVtt(plan: StoryboardPlan, durationMs: number, image: string): string {
  const cues = Array.from({ length: plan.count }, (_, index) => {
    const from = index * plan.intervalMs;
    const until = Math.max(from + 1, Math.min(durationMs, from + plan.intervalMs));
    const [x, y] = [(index % plan.columns) * plan.width, Math.floor(index / plan.columns) * plan.height];
    return `${clock(from)} --> ${clock(until)}\n${image}#xywh=${x},${y},${plan.width},${plan.height}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

function clock(ms: number): string {
  const part = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  const seconds = ms / 1000;
  return `${part(seconds / 3600, 2)}:${part((seconds / 60) % 60, 2)}:${part(seconds % 60, 2)}.${part(ms % 1000, 3)}`;
}
