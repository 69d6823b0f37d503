// What calls itself a film and is none, or none we take: refused with a sentence, and nothing stays.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertClean, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { makeFilm } from '../support/films.ts';
import { standIn, type StandIn } from '../support/stand-in.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let canary: StandIn;
before(async () => {
  server = await startServer();
  canary = await standIn();
});
after(async () => {
  await canary[Symbol.asyncDispose]();
  await server.stop();
});

const film = makeFilm({ seconds: 1 });
/** The beginning of an MP4, then something else. */
const disguised = (text: string): Buffer =>
  Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.from(text)]);
const scripts = (): [string, string][] => [
  ['a playlist', `#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXTINF:1,\n${canary.url}/a.ts\n`],
  ['a concat script', `ffconcat version 1.0\nfile '/etc/passwd'\nfile '${canary.url}/a'\n`],
  ['a session description', `v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n`],
  ['a concat address', 'concat:/etc/passwd|/etc/hosts'],
  ['a data address', 'data:video/mp4;base64,AAAA'],
];

describe('what is no film', () => {
  test('scripts that point to files and to the network are told by their bytes', async () => {
    for (const [name, text] of scripts())
      for (const file of [Buffer.from(text), disguised(text)]) {
        const answer = await leavesNothing(server, () => server.upload(file, {}, { fileName: 'a.mp4' }));
        assert.ok([415, 422].includes(answer.status), `${name}: ${answer.status}`);
        assertError(answer, answer.status);
      }
    assert.deepEqual(canary.seen, [], 'nobody was called');
  });

  for (const [name, file, message] of [
    ['cut off', film.subarray(0, film.length / 2), /./],
    ['a header alone', disguised(''), /./],
    ['sound without a picture', makeFilm({ videoCodec: false, seconds: 1 }), /video/i],
    ['damaged', damaged(film), /./],
  ] as const)
    test(`${name}: 422 with a sentence`, async () => {
      const answer = await leavesNothing(server, () => server.upload(file, {}, { fileName: 'a.mp4' }));
      assertError(answer, 422, { message });
      await assertClean(server);
    });
});

/** Its index says nonsense. */
function damaged(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  const at = copy.indexOf('moov');
  copy.fill(0xff, at + 8);
  return copy;
}
