import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { base64OfCrc32, PartSums, proofOf } from './part-sums.ts';

test('each part has the checksum of its own bytes, however they came', () => {
  const data = randomBytes(1050);
  for (const chunkBytes of [1, 7, 100, 333, 1050]) {
    const crc = new PartSums('crc32', 100);
    const md5 = new PartSums('md5', 100);
    for (let offset = 0; offset < data.length; offset += chunkBytes) {
      crc.add(data.subarray(offset, offset + chunkBytes));
      md5.add(data.subarray(offset, offset + chunkBytes));
    }
    for (let part = 0; part <= 10; part += 1) {
      const bytes = data.subarray(part * 100, part * 100 + 100);
      assert.deepEqual(crc.of(part), { ChecksumCRC32: base64OfCrc32(crc32(bytes)) });
      assert.deepEqual(md5.of(part), { ContentMD5: createHash('md5').update(bytes).digest('base64') });
    }
    assert.throws(() => crc.of(12));
  }
});

test('a small file is a part of its own, and so is none at all', () => {
  assert.deepEqual(proofOf('crc32', Buffer.from('hello')), { ChecksumCRC32: 'NhCmhg==' });
  assert.deepEqual(proofOf('crc32', Buffer.alloc(0)), { ChecksumCRC32: 'AAAAAA==' });
  assert.deepEqual(proofOf('md5', Buffer.alloc(0)), { ContentMD5: '1B2M2Y8AsgTpgAmY7PhCfg==' });
});
