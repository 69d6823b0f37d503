// The client of S3-compatible storage. Its address is the operator's, so it may be private; the package is loaded only
// where such a storage is used. Attempts are counted elsewhere: a stream that was sent cannot be sent again from here.
import { hash } from 'node:crypto';
import type * as S3Module from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';

export type S3Sdk = typeof S3Module;

export type S3ClientOptions = {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly pathStyle: boolean;
};

const connectionTimeoutMs = 3000;
const maxSockets = 128;

export async function openS3Client(options: S3ClientOptions): Promise<{ client: S3Client; sdk: S3Sdk }> {
  const sdk = await import('@aws-sdk/client-s3');
  const { endpoint, region, pathStyle } = options;
  const agent = { keepAlive: true, maxSockets };
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    // Most servers other than Amazon's have no regions, and the SDK insists on one.
    ...(region === undefined ? (endpoint === undefined ? {} : { region: 'us-east-1' }) : { region }),
    forcePathStyle: pathStyle,
    maxAttempts: 1,
    // Checksums are ours: taken while the bytes came, not once more when they go.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Some servers never say that they are ready for the body, and then it would wait for nothing.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
      // Many uploads at once wait for a socket, which is as it should be.
      socketAcquisitionWarningTimeout: 3_600_000,
    },
  });
  client.middlewareStack.add(ourHeaders as never, { step: 'build', name: 'ourHeaders' });
  return { client, sdk };
}

type BuildStep = <Output>(
  next: (args: { request: unknown; input: object }) => Promise<Output>,
  context: { commandName?: string },
) => (args: { request: unknown; input: object }) => Promise<Output>;

/** What the SDK would only say together with something we do not want of it. */
const ourHeaders: BuildStep = (next, context) => (args) => {
  const { request } = args as { request?: { headers: Record<string, string>; body?: unknown } };
  // The checksum comes with the answer and is compared by whoever reads, together with the length.
  if (request && context.commandName === 'GetObjectCommand')
    request.headers['x-amz-checksum-mode'] = 'ENABLED';
  // Older servers take no other proof of a list of keys, newer ones take both.
  if (request && context.commandName === 'DeleteObjectsCommand')
    request.headers['content-md5'] = hash('md5', String(request.body), 'base64');
  return next(args);
};
