// What the nodes of a service have in common: with all of it a variant made on one is found by the others, and is made
// and counted once. A node that is alone shares nothing.
import type { StorageBackend } from '../../accounts/tables.ts';

export type Sharing = {
  readonly database: boolean;
  /** The stores that others see as well. */
  readonly stores: ReadonlySet<StorageBackend>;
};
