// The pictures for the seek bar: one image with many frames, and which part of it belongs to which moment.
import { useQuery } from '@tanstack/react-query';

export type StoryFrame = {
  readonly from: number;
  readonly to: number;
  readonly picture: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export function useStoryboard(objectUrl: string, isReady: boolean): readonly StoryFrame[] {
  const address = `${objectUrl}storyboard.vtt`;
  const { data } = useQuery({
    queryKey: ['storyboard', address],
    queryFn: async ({ signal }) => {
      const response = await fetch(address, { signal });
      return response.ok ? parseStoryboard(await response.text(), address) : [];
    },
    enabled: isReady,
    staleTime: Infinity,
  });
  return data ?? [];
}

export function parseStoryboard(text: string, base: string): StoryFrame[] {
  const cue = /([\d:.]+) --> ([\d:.]+)[^\n]*\n([^\n#]+)#xywh=(\d+),(\d+),(\d+),(\d+)/g;
  return [...text.matchAll(cue)].map(([, from = '', to = '', picture = '', x, y, width, height]) => ({
    from: seconds(from),
    to: seconds(to),
    picture: new URL(picture.trim(), base).href,
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
  }));
}

function seconds(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
