// What making a database anew found: how much it restored, and everything it could not restore or had to change.

export type ProblemKind =
  | 'damaged_manifest'
  | 'missing_original'
  | 'original_without_manifest'
  | 'unknown_account'
  | 'duplicate_object'
  | 'duplicate_key'
  | 'renumbered_object'
  | 'unknown_field'
  | 'unreadable_secret';

/** `where` is the store and key of the file it is about, or the name of what it holds. */
export type Problem = { kind: ProblemKind; where: string; detail: string };

export type RebuildReport = { accounts: number; keys: number; objects: number; problems: Problem[] };

export class DamagedManifest extends Error {}
