import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { masterPlaylist, masterRenditions } from '../../../test/support/provider-stand-in.ts';
import { plainSentence } from './plain-sentence.ts';
import { renditionsIn } from './read-renditions.ts';

describe('renditions of a playlist elsewhere', () => {
  test('each size once, with its highest bandwidth, in whatever order they come', () => {
    assert.deepEqual(renditionsIn(masterPlaylist), masterRenditions);
    const turned = masterPlaylist.split('\n').reverse().join('\r\n');
    assert.deepEqual(renditionsIn(turned), masterRenditions);
  });

  test('upright films are named after their shorter side', () => {
    const [rendition] = renditionsIn('#EXT-X-STREAM-INF:RESOLUTION=720x1280,AVERAGE-BANDWIDTH=9,BANDWIDTH=5');
    assert.deepEqual(rendition, { name: '720p', width: 720, height: 1280, bandwidth: 5 });
  });

  test('what is no playlist has none', () => {
    for (const text of ['', '<html>', '#EXTM3U\n#EXT-X-STREAM-INF:', '#EXT-X-STREAM-INF:RESOLUTION=0x0'])
      assert.deepEqual(renditionsIn(text), []);
  });
});

describe('what a service says', () => {
  test('becomes one short line without addresses, whatever it was', () => {
    assert.equal(plainSentence('Could not\r\n read s3://bucket/key?token=x now.. '), 'Could not read now');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (words) => {
        const plain = plainSentence(`${words} http://10.0.0.5/inside`);
        assert.ok(plain.length <= 301);
        assert.doesNotMatch(plain, /[\p{Cc}]|:\/\/\S/u);
      }),
    );
  });
});
