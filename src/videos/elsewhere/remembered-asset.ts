// What is kept of a film at a service elsewhere between two looks at it.

export type RememberedAsset = {
  /** Null when a second asset is about to be asked for. */
  readonly assetId: string | null;
  /** When it was asked for; how long to wait between looks follows from it. */
  readonly askedAtMs: number;
  /** An asset that got lost there is asked for a second time, but not a third. */
  readonly attempt: number;
  readonly playableSinceMs: number | null;
};

/** Null when nothing was remembered, or something that is not ours. */
export function rememberedAsset(state: unknown): RememberedAsset | null {
  if (typeof state !== 'object' || state === null) return null;
  const { assetId, askedAtMs, attempt, playableSinceMs } = state as Record<string, unknown>;
  if (typeof askedAtMs !== 'number' || typeof attempt !== 'number') return null;
  return {
    assetId: typeof assetId === 'string' ? assetId : null,
    askedAtMs,
    attempt,
    playableSinceMs: typeof playableSinceMs === 'number' ? playableSinceMs : null,
  };
}
