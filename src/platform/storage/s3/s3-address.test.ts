import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseS3Address } from './s3-address.ts';

test('an address names bucket, prefix, endpoint and region', () => {
  assert.deepEqual(
    parseS3Address('s3://my.bucket-1/some/where/?endpoint=http://10.0.0.5:9000/&region=garage&checksum=md5'),
    {
      bucket: 'my.bucket-1',
      prefix: 'some/where/',
      endpoint: 'http://10.0.0.5:9000',
      region: 'garage',
      pathStyle: true,
      checksum: 'md5',
    },
  );
  assert.deepEqual(parseS3Address('s3://bucket'), {
    bucket: 'bucket',
    prefix: '',
    endpoint: undefined,
    region: undefined,
    pathStyle: false,
    checksum: 'crc32',
  });
  assert.equal(
    parseS3Address('s3://bucket?endpoint=https://s3.example.com&path_style=false').pathStyle,
    false,
  );
  const encoded = encodeURIComponent('https://s3.example.com');
  assert.equal(parseS3Address(`s3://bucket?endpoint=${encoded}`).endpoint, 'https://s3.example.com');
});

test('what is wrong is named', () => {
  for (const [text, complaint] of [
    ['s3:bucket', /look like s3:\/\//],
    ['s3://bucket#x', /look like s3:\/\//],
    ['s3://', /name a bucket/],
    ['s3://ab', /name a bucket/],
    ['s3://My_Bucket', /name a bucket/],
    ['s3://a..b', /name a bucket/],
    ['s3://key:secret@bucket', /no credentials/],
    ['s3://bucket?endpoint=https://key:secret@host', /no credentials/],
    ['s3://bucket/a b', /prefix/],
    ['s3://bucket/../x', /prefix/],
    ['s3://bucket/a//b', /prefix/],
    ['s3://bucket?endpoint=host:9000', /endpoint that begins with http/],
    ['s3://bucket?endpoint=http://host/?x=1', /without query/],
    ['s3://bucket?endpont=http://host', /no parameter "endpont"; there are endpoint, region/],
    ['s3://bucket?region=a&region=b', /region only once/],
    ['s3://bucket?region=a b', /region must be a name/],
    ['s3://bucket?path_style=maybe', /path_style=true/],
    ['s3://bucket?checksum=sha1', /checksum=crc32/],
  ] as const) {
    assert.throws(() => parseS3Address(text), complaint, text);
  }
});
