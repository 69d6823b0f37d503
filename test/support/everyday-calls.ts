// What applications do with the client, written so that it runs wherever the client does: nothing but what the web platform
// has. Its types are stripped before it is handed to a runtime.
import type * as client from '../../client/src/index.ts';

export type EverydaySettings = {
  url: string;
  key: string;
  /** An address at which nobody listens. */
  deadUrl: string;
  /** One whose answers break off. */
  brokenUrl: string;
  /** A PNG of 90 by 70 pixels. */
  pictureBase64: string;
};

export async function everydayCalls(
  { ConnectionError, image, isRefusal, signAddress, Tintype, TintypeError }: typeof client,
  { url, key, deadUrl, brokenUrl, pictureBase64 }: EverydaySettings,
) {
  const tintype = new Tintype({ url, key });
  const bytes = Uint8Array.from(atob(pictureBase64), (letter) => letter.charCodeAt(0));

  const stored = await tintype.upload(bytes, { fileName: 'höhe.png', tags: ['harbour'], object: 'boats' });
  const sentBytes: number[] = [];
  const told = await tintype.upload(new Blob([bytes]), {
    fileName: 'told.png',
    onProgress: (progress) => sentBytes.push(progress.sentBytes),
  });
  const streamed = await tintype.upload(new Blob([bytes]).stream(), { fileName: 'streamed.png' });

  const stopUpload = new AbortController();
  const calledOff = await outcome(tintype.upload(endless(), { object: 'never', signal: stopUpload.signal }));

  const chunkBytes = Math.ceil(bytes.length / 3);
  const stopPieces = new AbortController();
  let begun = '';
  const brokenOff = await outcome(
    tintype.uploadResumable(bytes, {
      chunkBytes,
      fileName: 'resumed.png',
      signal: stopPieces.signal,
      onBegin: (address) => (begun = address),
      onProgress: () => stopPieces.abort(new Error('paused')),
    }),
  );
  const pieces: number[] = [];
  const resumed = await tintype.uploadResumable(bytes, {
    resume: begun,
    chunkBytes,
    onProgress: (progress) => pieces.push(progress.sentBytes / bytes.length),
  });

  const listing = await tintype.list({ tags: ['harbour'] });
  const all: string[] = [];
  for await (const { original_file_name: name } of tintype.listAll({ page_size: 1 })) all.push(name);

  const small = image(stored.object_url).width(30).format('webp');
  const { signing_secret: secret } = await tintype.account.change({ transform_policy: 'signed' });
  const signed = await signAddress(small.url, secret ?? '', new Date(Date.now() + 60_000));
  const seen = [await look(small.url), await look(signed)];

  await tintype.delete('boats');

  return {
    stored: { id: stored.object_id, name: stored.original_file_name, tags: stored.tags, width: stored.width },
    told: { name: told.original_file_name, lastSent: sentBytes.at(-1) === bytes.length },
    streamed: { name: streamed.original_file_name, width: streamed.width },
    calledOff,
    brokenOff,
    resumed: { name: resumed.original_file_name, pieces: pieces.length, last: pieces.at(-1) },
    got: (await tintype.get(told.object_id)).original_file_name,
    listed: { total: listing.total, ids: listing.items.map(({ object_id: id }) => id) },
    all,
    transformation: small.transformation,
    seen,
    refusals: [
      await outcome(tintype.get('boats')),
      await outcome(tintype.get('never')),
      await outcome(tintype.search('boats on a calm sea')),
      await outcome(new Tintype({ url, key: 'tt_nobodys' }).account.get()),
      await outcome(tintype.upload(new Uint8Array())),
    ],
    unreachable: await outcome(new Tintype({ url: deadUrl, retries: 0 }).health()),
    cutShort: await outcome(new Tintype({ url: brokenUrl, retries: 0 }).health()),
  };

  async function* endless() {
    yield bytes.subarray(0, 100);
    stopUpload.abort(new Error('changed my mind'));
    await new Promise(() => undefined);
  }

  async function look(address: string): Promise<string> {
    const response = await fetch(address);
    await response.arrayBuffer();
    return `${response.status} ${response.headers.get('content-type')}`;
  }

  async function outcome(call: Promise<unknown>): Promise<string> {
    try {
      await call;
      return 'no error';
    } catch (error) {
      if (isRefusal(error) && error instanceof TintypeError) return `${error.status} ${error.code}`;
      if (error instanceof ConnectionError) return error.name;
      return String(error);
    }
  }
}
