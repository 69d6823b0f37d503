// Models from a real server that stands in for the hub: fetched once, kept, and never asked for where that is not allowed.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { startTinyHub } from '../../../../test/support/tiny-hub.ts';
import { tinyCaptioner, tinyClip, writeModel } from '../../../../test/support/tiny-models.ts';
import { pictureAt, startTinyProvider } from '../../../../test/support/tiny-provider.ts';
import type { TinyProvider } from '../../../../test/support/tiny-provider.ts';
import { ProviderFault } from '../ai-provider.ts';
import type * as localProvider from './local-provider.ts';

const never = new AbortController().signal;
const models = { 'tiny/clip': tinyClip({ quantised: true }), 'tiny/words': tinyCaptioner() };

async function kindOf(asked: Promise<unknown>): Promise<string> {
  return asked.then(
    () => 'answered',
    (error: unknown) => (error instanceof ProviderFault ? error.kind : String(error)),
  );
}

async function analyse(provider: TinyProvider) {
  return provider.analyse(pictureAt(await provider.paint('red')), never);
}

/** Until it says something else than that it is busy. */
async function afterDownload(ask: () => Promise<unknown>): Promise<string> {
  return eventually(async () => {
    const kind = await kindOf(ask());
    assert.notEqual(kind, 'busy');
    return kind;
  }, 20_000);
}

suite('downloads', { concurrency: false }, () => {
  test('what is missing is fetched into the folder, while whoever asks is told to come again', async () => {
    await using hub = await startTinyHub(models);
    const options = { download: true, hubAddress: hub.address, captionModel: 'tiny/words' };
    await using provider = await startTinyProvider({}, options);
    assert.equal(await kindOf(provider.embed('red', never)), 'busy');
    assert.equal(await afterDownload(() => analyse(provider)), 'answered');
    assert.equal((await analyse(provider)).caption, 'a red picture');
    const fetched = globSync('**/*.*', { cwd: provider.modelsDir });
    assert.ok(fetched.includes('tiny/clip/onnx/vision_model_quantized.onnx'), String(fetched));
    assert.ok(fetched.includes('tiny/words/onnx/decoder_model_merged.onnx'), String(fetched));
    const asked = hub.asked.length;
    assert.equal(await kindOf(provider.embed('blue', never)), 'answered');
    assert.equal(hub.asked.length, asked);
  });

  test('without leave nothing is asked of the hub, even for files a model might have', async () => {
    await using hub = await startTinyHub(models);
    await using provider = await startTinyProvider(
      { 'tiny/clip': models['tiny/clip'] },
      { hubAddress: hub.address, captionModel: 'tiny/words' },
    );
    assert.equal((await analyse(provider)).caption, null);
    assert.equal(await kindOf(provider.embed('red', never)), 'answered');
    assert.deepEqual(hub.asked, []);
  });

  test('a model the hub does not have is a matter of the settings; only the captions may be missing', async () => {
    await using hub = await startTinyHub({ 'tiny/clip': models['tiny/clip'] });
    const options = { download: true, hubAddress: hub.address };
    await using unknown = await startTinyProvider({}, { ...options, embeddingModel: 'tiny/none' });
    assert.equal(await afterDownload(() => unknown.embed('red', never)), 'settings');
    await using wordless = await startTinyProvider({}, { ...options, captionModel: 'tiny/none' });
    assert.equal(await afterDownload(() => analyse(wordless)), 'answered');
    assert.equal((await analyse(wordless)).caption, null);
  });

  test('a hub that cannot be reached is no matter of the settings', async () => {
    const hub = await startTinyHub({});
    await hub[Symbol.asyncDispose]();
    await using provider = await startTinyProvider({}, { download: true, hubAddress: hub.address });
    assert.equal(await afterDownload(() => provider.embed('red', never)), 'unavailable');
  });

  test('closing ends a download, and nothing half done stays', async () => {
    await using hub = await startTinyHub(models);
    hub.stallsAt = '.onnx';
    await using provider = await startTinyProvider({}, { download: true, hubAddress: hub.address });
    assert.equal(await kindOf(provider.embed('red', never)), 'busy');
    const halfDone = (): string[] => globSync('**/*.tmp.*', { cwd: provider.modelsDir });
    await eventually(() => assert.equal(halfDone().length, 1), 20_000);
    await provider.close();
    await eventually(() => assert.deepEqual(halfDone(), []));
    assert.equal(await kindOf(provider.embed('red', never)), 'unavailable');
  });
});

test('where the library is not installed, that is said', async () => {
  await using provider = await startTinyProvider({});
  const folder = dirname(provider.modelsDir);
  const root = new URL('../../../..', import.meta.url);
  await cp(new URL('src', root), join(folder, 'src'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(new URL('node_modules/sharp', root), join(folder, 'node_modules/sharp'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeModel(provider.modelsDir, 'tiny/clip', tinyClip());
  const bare = join(folder, 'src/search/providers/local/local-provider.ts');
  const { createLocalProvider } = (await import(bare)) as typeof localProvider;
  const names = { embeddingModel: 'tiny/clip', captionModel: null };
  const local = createLocalProvider({ modelsDir: provider.modelsDir, download: false, ...names });
  const said = { kind: 'settings', message: /@huggingface\/transformers/ };
  await assert.rejects(local.embed('red', never), said);
  await local.close();
});
