// The address of a place in S3-compatible storage: `s3://bucket/prefix?endpoint=…&region=…`. What is wrong with one is said
// in a sentence that goes on from "the address …".

export type S3Address = {
  readonly bucket: string;
  /** What all keys begin with: empty, or ends with a slash. */
  readonly prefix: string;
  /** Undefined for Amazon's own. */
  readonly endpoint: string | undefined;
  /** Undefined: as the SDK finds it. */
  readonly region: string | undefined;
  /** The bucket stands in the path rather than in the host name. */
  readonly pathStyle: boolean;
  readonly checksum: S3Checksum;
};

/** By what the server checks what it receives; `md5` is for old servers that know nothing newer. */
export type S3Checksum = 'crc32' | 'md5';

const parameters = ['endpoint', 'region', 'path_style', 'checksum'] as const;
const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixPattern = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;
const maxPrefixLength = 400;

/** Throws an Error whose message begins with "must". */
export function parseS3Address(text: string): S3Address {
  const [, place = '', query = ''] = /^s3:\/\/([^?#]*)(?:\?([^#]*))?$/.exec(text) ?? refuse();
  if (place.includes('@'))
    throw new Error('must hold no credentials; they are found in the environment as the AWS SDK does');
  const [bucket = '', ...segments] = place.split('/');
  if (!bucketPattern.test(bucket) || bucket.includes('..'))
    throw new Error('must name a bucket of 3 to 63 small letters, digits, dots and hyphens');
  const options = readOptions(query);
  const endpoint = options.get('endpoint');
  return {
    bucket,
    prefix: prefixOf(segments.join('/')),
    endpoint: endpoint === undefined ? undefined : checkedEndpoint(endpoint),
    region: checked(
      options.get('region'),
      /^[a-z0-9-]{1,64}$/i,
      'region must be a name such as eu-central-1',
    ),
    pathStyle: pathStyleOf(options.get('path_style'), endpoint !== undefined),
    checksum: checksumOf(options.get('checksum') ?? 'crc32'),
  };
}

function refuse(): never {
  throw new Error('must look like s3://bucket/prefix?endpoint=https://…&region=…');
}

function readOptions(query: string): Map<string, string> {
  const options = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!parameters.some((known) => known === name))
      throw new Error(`must have no parameter ${JSON.stringify(name)}; there are ${parameters.join(', ')}`);
    if (options.has(name)) throw new Error(`must have ${name} only once`);
    options.set(name, value);
  }
  return options;
}

function prefixOf(text: string): string {
  const prefix = text.replace(/^\/+|\/+$/g, '');
  if (prefix === '') return '';
  const isPlain = prefixPattern.test(prefix) && !prefix.split('/').some((part) => /^\.+$/.test(part));
  if (!isPlain || prefix.length > maxPrefixLength)
    throw new Error(
      `must have a prefix of letters, digits, ".", "_", "-" and "/", at most ${maxPrefixLength}`,
    );
  return `${prefix}/`;
}

function checkedEndpoint(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('must have an endpoint that begins with http:// or https://');
  if (url.username || url.password) throw new Error('must hold no credentials in its endpoint');
  if (url.search || url.hash) throw new Error('must have an endpoint without query or fragment');
  return url.href.replace(/\/+$/, '');
}

function checked(value: string | undefined, pattern: RegExp, sentence: string): string | undefined {
  if (value !== undefined && !pattern.test(value)) throw new Error(`must be right: ${sentence}`);
  return value;
}

function pathStyleOf(value: string | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') throw new Error('must have path_style=true or path_style=false');
  return value === 'true';
}

function checksumOf(value: string): S3Checksum {
  if (value !== 'crc32' && value !== 'md5') throw new Error('must have checksum=crc32 or checksum=md5');
  return value;
}
