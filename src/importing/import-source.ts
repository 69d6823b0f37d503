// What an import reads from: a folder, a list of addresses or a bucket. Each tells what it has in an order that is the
// same every time; what becomes of it is the target's affair.

export interface ImportSource {
  /** The same for the same place whenever it is read: what was imported from there is remembered under it. */
  readonly name: string;
  items(): AsyncIterable<ImportItem>;
}

export type ImportItem = FoundFile | FoundAddress | LeftOut;

export type FoundFile = {
  readonly kind: 'file';
  /** Where it lies below the source, with slashes: the last part is its name, the rest its folder. */
  readonly path: string;
  open(): Promise<OpenedFile>;
};

/** Something on the web, which the service fetches as it would for `/upload/url`. */
export type FoundAddress = {
  readonly kind: 'address';
  /** Tells it from others of its source. */
  readonly path: string;
  readonly url: string;
  readonly objectId: string | undefined;
  readonly tags: string | undefined;
};

/** What is in the source and will not be imported, whatever the target. */
export type LeftOut = {
  readonly kind: 'skipped' | 'failed';
  readonly path: string;
  readonly reason: string;
};

export type OpenedFile = AsyncDisposable & {
  /** Another one when the file has changed. */
  readonly state: string;
  readonly sizeBytes: number;
  /** From its beginning, as often as it is called. */
  read(): Promise<AsyncIterable<Buffer>>;
  /** Only where any part of it can be read at any time. */
  asBlob?(): Promise<Blob>;
};
