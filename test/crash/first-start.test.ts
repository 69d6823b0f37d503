// A service killed at any commit of its very first start must come up whole at the next one.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { json } from './api.ts';
import { seededRandom } from '../support/random.ts';
import { Service } from './service.ts';
import { sha256, uploadBody, UploadMaker } from './uploads.ts';

for (const failpoint of ['database:before-commit', 'database:committed']) {
  test(`killed at ${failpoint} of its first start, it starts again and works`, async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tintype-first-'));
    t.after(() => rm(dataDir, { recursive: true }));
    // The tables, the operator's account: on one folder, so that each start goes on from what the last one left.
    for (let start = 1; start <= 2; start++) {
      const killed = await Service.start({
        dataDir,
        failpoint: `${failpoint}@${start}`,
        args: ['--no-jobs'],
      });
      assert.equal(await killed.ready(), null, 'it was ready before it reached the failpoint');
      assert.match(killed.said, /died at failpoint/);
      await killed.killGroup();
    }
    const service = await Service.start({ dataDir });
    assert.notEqual(await service.ready(), null, service.said);
    const upload = (await UploadMaker.create(seededRandom(1))).make('first');
    const stored = await service.api.ask('/upload/', { method: 'POST', body: uploadBody(upload) });
    const { original } = json<{ original: string }>(stored);
    const { bytes } = await service.api.ask(new URL(original).pathname);
    assert.equal(sha256(bytes), upload.sha256);
    await service.killGroup();
  });
}
