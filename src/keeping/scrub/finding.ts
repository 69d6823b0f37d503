// What a scrub finds wrong with a stored file, and what was done about it.

export type FindingKind =
  | 'original'
  | 'manifest'
  | 'bucket_manifest'
  | 'poster'
  | 'stream'
  | 'variant'
  | 'copy'
  | 'unnamed';

export type Finding = {
  readonly kind: FindingKind;
  /** `unnamed`: nothing is wrong with the file, but no record names it. */
  readonly problem: 'missing' | 'damaged' | 'unnamed';
  /** The store and key of the file, or its path on this machine. */
  readonly where: string;
  readonly detail: string;
  readonly account_id?: string;
  readonly object_id?: string;
  /** In a few words; null when nothing was or can be done. */
  readonly repair: string | null;
};

/** What takes part in the exit code. */
export function isUnrepaired({ problem, repair }: Finding): boolean {
  return problem !== 'unnamed' && repair === null;
}
