// What a film's record says can be played now. The record is written and understood in videos/; listings and events need no
// more of it than this.

export type Rendition = {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Bits per second at most. */
  readonly bandwidth: number;
};

export function playableRenditions(film: string | null): Rendition[] {
  if (film === null) return [];
  const { stream } = JSON.parse(film) as { stream?: { renditions: Rendition[] } | null };
  return stream?.renditions ?? [];
}
