// All that the package offers.
export type * from './api.ts';
export type { CallOptions, ConnectionOptions } from './calls.ts';
export { ConnectionError, isRefusal, TintypeError } from './errors.ts';
export {
  type Fit,
  type Format,
  type Gravity,
  image,
  type ImageAddress,
  type Place,
  places,
  type Watermark,
} from './image.ts';
export { signAddress } from './sign-address.ts';
export type { SrcsetOptions } from './srcset.ts';
export {
  type Found,
  type Listing,
  type ListOptions,
  objectIdOf,
  type SearchOptions,
  Tintype,
} from './tintype.ts';
export type { FileSource, Progress } from './upload-body.ts';
export type { ObjectFields, UploadOptions } from './upload-file.ts';
export type { ResumableOptions } from './upload-resumable.ts';
export type { DeliveryList } from './webhook-calls.ts';
