// Whether the server refuses to write over a key when it is asked to. Those that do not know the question write all the
// same, so it is tried out once; there we look before, which is enough for keys that are random and never used again.

import { AppError } from '../../errors.ts';
import { newOwnerName } from '../../owner-name.ts';
import type { S3Calls } from './s3-calls.ts';
import { remoteError, statusOf } from './s3-errors.ts';

export type ConditionFor = (key: string) => Promise<{ IfNoneMatch?: '*' }>;

export function createConditions(
  calls: S3Calls,
  sizeOf: (key: string) => Promise<number | null>,
): ConditionFor {
  let honoured: Promise<boolean> | null = null;
  const find = (): Promise<boolean> =>
    (honoured ??= tryOut(calls).catch((error: unknown) => {
      honoured = null;
      throw remoteError(error);
    }));
  return async (key) => {
    if (await find()) return { IfNoneMatch: '*' };
    if ((await sizeOf(key)) !== null) throw new AppError('internal', `The key ${key} is in use`);
    return {};
  };
}

/** The name begins with a dot, so no listing shows it. */
async function tryOut({ sdk, bucket, nameOf, attempt }: S3Calls): Promise<boolean> {
  const name = nameOf(`.condition-${newOwnerName()}`);
  const put = new sdk.PutObjectCommand({ Bucket: bucket, Key: name, Body: 'x', IfNoneMatch: '*' });
  try {
    // Twice, and a third time where the first is repeated: only a refusal tells.
    for (let round = 0; round < 2; round += 1)
      await attempt(({ client, signal }) => client.send(put, { abortSignal: signal }));
    return false;
  } catch (error) {
    if (statusOf(error) === 412) return true;
    if (statusOf(error) === 501 || statusOf(error) === 400) return false;
    throw error;
  } finally {
    const remove = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: name });
    await attempt(({ client, signal }) => client.send(remove, { abortSignal: signal })).catch(
      () => undefined,
    );
  }
}
