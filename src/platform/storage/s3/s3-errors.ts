// What the answers and silences of S3-compatible storage mean to us: not there, try again, away for now, or set up wrongly.

import { AppError, OperatorError, retryAfter } from '../../errors.ts';
import { storageError, systemCode } from '../storage-error.ts';
import type { S3Address } from './s3-address.ts';

const retryAfterSeconds = 5;
const absentNames = new Set(['NoSuchKey', 'NotFound']);
const transientNames = new Set([
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'IncompleteBody',
]);
const nobodyThereCodes = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const brokenOffCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** The answer is not what it should be: cut short, or other bytes than were stored. */
export class BrokenBody extends Error {}

/** Nothing came back for so long that nobody is there. */
export class NoAnswer extends Error {}

export function statusOf(error: unknown): number | undefined {
  const { $metadata: metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode;
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

export function isAbsentKey(error: unknown): boolean {
  return absentNames.has(nameOf(error)) || (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket');
}

/** Not even a connection came about, or nothing came over it. */
export function isNobodyThere(error: unknown): boolean {
  if (error instanceof NoAnswer) return true;
  return nobodyThereCodes.has(systemCode(error) ?? '') || nameOf(error) === 'TimeoutError';
}

/** Whether the same call may well succeed a moment later. */
export function isTransient(error: unknown): boolean {
  if (isNobodyThere(error) || error instanceof BrokenBody || transientNames.has(nameOf(error))) return true;
  if (brokenOffCodes.has(systemCode(error) ?? '')) return true;
  const status = statusOf(error) ?? 0;
  return (status >= 500 && status !== 501) || status === 429;
}

export function remoteError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = { cause: error };
  if (nameOf(error) === 'InvalidRange' || statusOf(error) === 416)
    return new AppError('range_not_satisfiable', undefined, cause);
  if (isTransient(error))
    return new AppError('storage_unavailable', undefined, { ...retryAfter(retryAfterSeconds), ...cause });
  return storageError(error);
}

/** For the start: what the operator has to look at. */
export function setUpError(error: unknown, { bucket, endpoint, region }: S3Address): OperatorError {
  const where = endpoint === undefined ? `the region ${region ?? 'that the SDK finds'}` : endpoint;
  return new OperatorError(`The bucket ${bucket} cannot be used: ${reasonOf(error, where)}`, {
    cause: error,
  });
}

function reasonOf(error: unknown, where: string): string {
  const name = nameOf(error);
  if (isNobodyThere(error)) return `${where} does not answer; check the endpoint, and that the server runs`;
  if (isTransient(error)) return `${where} answers with an error (${name}); check that server`;
  if (name === 'CredentialsProviderError')
    return 'no credentials were found; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile or role';
  if (/AccessKey|Signature|Token|User|Credentials/.test(name))
    return `the credentials were refused (${name}); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`;
  if (name === 'NoSuchBucket' || statusOf(error) === 404)
    return `there is no such bucket at ${where}; check its name, or make it`;
  if (statusOf(error) === 403)
    return 'access was denied; check that the credentials may list, read, write and delete there';
  if (statusOf(error) === 301 || name === 'PermanentRedirect' || /region/i.test(String(error)))
    return `it is not in ${where}; check the region`;
  return `${name || 'unknown error'}; check endpoint, region and credentials`;
}
