// What is to be done about an analysis that failed: try the picture again, give it up, or leave the provider alone. Pure.
import { AppError } from '../../platform/errors.ts';
import { type FaultKind, ProviderFault } from '../providers/ai-provider.ts';
import type { PauseReason } from '../tables.ts';

/** How often a picture is tried. Where the provider is at fault rather than the picture, for a day. */
const maxAttempts: Record<FaultKind | 'ours', number> = {
  settings: Number.MAX_SAFE_INTEGER,
  busy: Number.MAX_SAFE_INTEGER,
  unavailable: 150,
  answer: 8,
  picture: 3,
  ours: 20,
};
const firstRetryMs = 2000;
const lastRetryMs = 600_000;

export type JudgedFailure = {
  attempts: number;
  retryAfterMs: number;
  dead: boolean;
  /** For the account's owner. */
  error: string;
  /** Nothing more is to be asked of the provider for a while; the picture's attempts do not count then. */
  pause: PauseReason | null;
  /** As the provider said. */
  pauseMs: number | null;
  isOfProvider: boolean;
};

export function judgeFailure(error: Error, attemptsBefore: number): JudgedFailure {
  const attempts = attemptsBefore + 1;
  const isUndecodable = error instanceof AppError && error.status < 500;
  const kind = error instanceof ProviderFault ? error.kind : isUndecodable ? 'picture' : 'ours';
  const isOfProvider = kind !== 'ours' && kind !== 'picture';
  const pauseMs = error instanceof ProviderFault ? error.retryAfterMs : null;
  const backOffMs = Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(attemptsBefore, 20));
  return {
    attempts,
    // Not all at the same moment, and in whole milliseconds, as times are kept.
    retryAfterMs: Math.ceil(Math.max(backOffMs * (0.75 + Math.random() / 2), pauseMs ?? 0)),
    dead: attempts >= maxAttempts[kind] || isUndecodable,
    error: kind === 'ours' ? 'Something went wrong on our side' : error.message,
    pause: kind === 'settings' || kind === 'busy' ? kind : null,
    pauseMs,
    isOfProvider,
  };
}
