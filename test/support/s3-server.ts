// S3-compatible storage for tests of what is kept there: a server in a process of its own, one for each process that runs
// tests, or the one that TEST_S3_STORE names (s3://bucket?endpoint=…, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('./s3-process.ts', import.meta.url));
export const buckets = ['first-bucket', 'second-bucket'] as const;
export const namedS3Store = process.env['TEST_S3_STORE'] || undefined;

export type S3Server = {
  readonly endpoint: string;
  /** An address below which nothing lies yet. */
  newStore(bucket?: (typeof buckets)[number], endpoint?: string): string;
};

let started: Promise<S3Server> | null = null;
let stores = 0;

export function startS3Server(): Promise<S3Server> {
  return (started ??= namedS3Store === undefined ? start() : Promise.resolve(named(namedS3Store)));
}

async function start(): Promise<S3Server> {
  // As s3rver knows them; the SDK finds them as it would those of an operator.
  process.env['AWS_ACCESS_KEY_ID'] = 'S3RVER';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'S3RVER';
  const child = fork(file, [...buckets], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  child.unref();
  child.channel?.unref();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    newStore: (bucket = buckets[0], through = endpoint) =>
      `s3://${bucket}/${newPrefix()}?endpoint=${through}&checksum=md5`,
  };
}

/** All in its one bucket. */
function named(address: string): S3Server {
  const url = new URL(address);
  const endpoint = url.searchParams.get('endpoint') ?? '';
  return {
    endpoint,
    newStore: (_bucket, through = endpoint) => {
      const store = new URL(address);
      store.pathname = `${url.pathname.replace(/\/$/, '')}/${newPrefix()}`;
      if (through !== '') store.searchParams.set('endpoint', through);
      return store.href;
    },
  };
}

function newPrefix(): string {
  return `${Date.now().toString(36)}-${process.pid}-${(stores += 1)}`;
}
