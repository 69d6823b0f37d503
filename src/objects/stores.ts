// The two storage backends by the name an account chooses them with.
import type { StorageBackend } from '../accounts/tables.ts';
import type { Storage } from '../platform/storage/storage.ts';

export type Stores = Readonly<Record<StorageBackend, Storage>>;
