// Real models, though tiny, in the real worker: that pictures are found by their names, and what is said when they are not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../../../test/support/eventually.ts';
import { tinyCaptioner, tinyClip, tinySiglip, writeModel } from '../../../../test/support/tiny-models.ts';
import { pictureAt, startTinyProvider } from '../../../../test/support/tiny-provider.ts';
import type { TinyProvider } from '../../../../test/support/tiny-provider.ts';
import { ProviderFault } from '../ai-provider.ts';
import type { FaultKind } from '../ai-provider.ts';
import { pictureScales, questionScales } from './calibration.ts';

const colours = ['red', 'lime', 'blue'];
const names = ['red', 'green', 'blue'];
const never = new AbortController().signal;

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0);

async function analyse(provider: TinyProvider, colour: string, caption: string | null = null) {
  return provider.analyse(pictureAt(await provider.paint(colour), caption), never);
}

function fault(kind: FaultKind, message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ProviderFault, String(error));
    assert.deepEqual([error.kind, message.test(error.message)], [kind, true], error.message);
    return true;
  };
}

suite('local models', { concurrency: false }, () => {
  for (const [family, model] of [
    ['clip', tinyClip()],
    ['siglip', tinySiglip({ quantised: true })],
  ] as const) {
    test(`${family}: red, green and blue pictures are found by their names`, async () => {
      const embeddingModel = `tiny/${family}`;
      await using provider = await startTinyProvider({ [embeddingModel]: model }, { embeddingModel });
      assert.equal(provider.model, `local/tiny/${family}`);
      const pictures = await Promise.all(colours.map((colour) => analyse(provider, colour)));
      for (const [index, name] of names.entries()) {
        const question = await provider.embed(`A ${name} Picture`, never);
        const cosines = pictures.map(({ vector }) => dot(vector, question));
        assert.equal(cosines.indexOf(Math.max(...cosines)), index, `${name}: ${cosines.join()}`);
        assert.ok(Math.abs(dot(question, question) - 1) < 1e-5);
      }
      for (const { vector, caption } of pictures) {
        assert.deepEqual([vector.length, caption], [4, null]);
        assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5);
      }
      assert.equal(provider.questionScale, questionScales[family]);
      assert.equal(provider.pictureScale, pictureScales[family]);
      assert.equal(provider.stats().workers, 1);
    });
  }

  test('a picture without colours is one too', async () => {
    await using provider = await startTinyProvider({ 'tiny/clip': tinyClip() });
    const path = await provider.paint('white');
    const grey = join(provider.modelsDir, 'grey.jpg');
    await sharp(path).greyscale().toFile(grey);
    const [white, same] = await Promise.all(
      [path, grey].map((each) => provider.analyse(pictureAt(each), never)),
    );
    assert.ok(dot(white!.vector, same!.vector) > 0.999);
  });

  test('captions come from the model for them, unless there is one already', async () => {
    await using provider = await startTinyProvider(
      { 'tiny/clip': tinyClip(), 'tiny/words': tinyCaptioner() },
      { captionModel: 'tiny/words' },
    );
    assert.equal((await analyse(provider, 'red')).caption, 'a red picture');
    assert.equal((await analyse(provider, 'blue')).caption, 'a blue picture');
    assert.equal((await analyse(provider, 'blue', 'my own')).caption, 'my own');
  });

  test('without a model for captions there are none, and pictures are found all the same', async () => {
    await using provider = await startTinyProvider(
      { 'tiny/clip': tinyClip() },
      { captionModel: 'tiny/words' },
    );
    const { caption, vector } = await analyse(provider, 'red');
    assert.deepEqual([caption, vector.length], [null, 4]);
  });
});

suite('models that do not work', { concurrency: false }, () => {
  test('a missing one is told by the names of the settings, not by a path; once it is there, it works', async () => {
    await using provider = await startTinyProvider({});
    const said = fault('settings', /^This server has no model tiny\/clip .*MODELS_DIR.*MODELS_DOWNLOAD/);
    await assert.rejects(provider.embed('red', never), said);
    await assert.rejects(analyse(provider, 'red'), said);
    await assert.rejects(
      provider.embed('red', never),
      (error: Error) => !error.message.includes(provider.modelsDir),
    );
    assert.equal(provider.questionScale, questionScales.clip);
    await writeModel(provider.modelsDir, 'tiny/clip', tinySiglip());
    assert.equal((await provider.embed('red', never)).length, 4);
    assert.equal(provider.questionScale, questionScales.siglip);
  });

  test('names that lead out of the folder are refused', async () => {
    for (const embeddingModel of ['../tiny/clip', '/tiny/clip', 'tiny/../../clip']) {
      await using provider = await startTinyProvider({ 'tiny/clip': tinyClip() }, { embeddingModel });
      await assert.rejects(provider.embed('red', never), fault('settings', /LOCAL_EMBEDDING_MODEL/));
    }
    await using provider = await startTinyProvider({ 'tiny/clip': tinyClip() }, { captionModel: '../words' });
    await assert.rejects(analyse(provider, 'red'), fault('settings', /LOCAL_CAPTION_MODEL/));
  });

  test('a broken one is the operator’s to mend, and works as soon as it is mended', async () => {
    const whole = tinyClip();
    const cut = { ...whole, 'onnx/text_model.onnx': Buffer.from('not a model') };
    await using provider = await startTinyProvider({ 'tiny/clip': cut });
    const said = fault('settings', /^The model tiny\/clip in MODELS_DIR does not work/);
    await assert.rejects(provider.embed('red', never), said);
    assert.equal((await analyse(provider, 'red')).vector.length, 4);
    const file = join(provider.modelsDir, 'tiny/clip/onnx/text_model.onnx');
    await writeFile(file, whole['onnx/text_model.onnx'] as Buffer);
    assert.equal((await provider.embed('red', never)).length, 4);
  });

  test('one of another kind, one that answers something else, one whose settings are no JSON', async () => {
    const other = { ...tinyClip(), 'config.json': { model_type: 'bert' } };
    const swapped = { ...tinyClip(), 'onnx/vision_model.onnx': tinyCaptioner()['onnx/encoder_model.onnx']! };
    const garbled = { ...tinyClip(), 'tokenizer.json': Buffer.from('{') };
    await using provider = await startTinyProvider({ 'tiny/clip': other });
    await assert.rejects(provider.embed('red', never), fault('settings', /neither of the CLIP nor/));
    await using wrong = await startTinyProvider({ 'tiny/clip': swapped });
    await assert.rejects(analyse(wrong, 'red'), fault('settings', /does not work/));
    await using unreadable = await startTinyProvider({ 'tiny/clip': garbled });
    await assert.rejects(unreadable.embed('red', never), fault('settings', /does not work/));
  });

  test('a picture it cannot read, one that is gone, a question without meaning', async () => {
    await using provider = await startTinyProvider({ 'tiny/clip': tinyClip() });
    const path = await provider.paint('red');
    await writeFile(path, 'not a picture');
    await assert.rejects(provider.analyse(pictureAt(path), never), fault('picture', /could not read/));
    const gone = pictureAt(path);
    await rm(path);
    await assert.rejects(provider.analyse(gone, never), fault('unavailable', /gone/));
    await assert.rejects(provider.embed('nothing it knows', never), fault('answer', /without a direction/));
  });
});

suite('the worker', { concurrency: false }, () => {
  const slow = { 'tiny/clip': tinyClip({ side: 3000 }) };

  async function busyPid(provider: TinyProvider): Promise<number> {
    return eventually(() => {
      const [pid] = provider.pids();
      assert.ok(pid !== undefined && provider.stats().busy === 1);
      return pid;
    });
  }

  /** Waits until it has really begun: the time it has computed grows. */
  async function computing(pid: number): Promise<void> {
    const ticks = (): number =>
      Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[11]);
    const before = ticks();
    await eventually(() => assert.ok(ticks() > before + 5), 20_000);
  }

  test('killed in the middle of its work, it is replaced; killed again, the fault is told', async () => {
    await using provider = await startTinyProvider(slow);
    await provider.embed('red', never);
    const answer = analyse(provider, 'red');
    const refused = assert.rejects(answer, fault('unavailable', /ended unexpectedly/));
    const first = await busyPid(provider);
    await computing(first);
    process.kill(first, 'SIGKILL');
    const second = await eventually(async () => {
      const pid = await busyPid(provider);
      assert.notEqual(pid, first);
      return pid;
    });
    process.kill(second, 'SIGKILL');
    await refused;
    assert.equal((await provider.embed('red', never)).length, 4);
  });

  test('too slow is told, and the next question has a worker', async () => {
    // Long enough to load the models where there is little to compute with: whoever is next has no more time than this.
    await using provider = await startTinyProvider(slow, { wallTimeMs: 4000 });
    const answers = (): Promise<void> =>
      eventually(async () => assert.equal((await provider.embed('red', never)).length, 4), 20_000);
    await answers();
    const refused = assert.rejects(analyse(provider, 'red'), fault('unavailable', /too long/));
    const pid = await busyPid(provider);
    await computing(pid);
    process.kill(pid, 'SIGSTOP');
    await refused;
    await answers();
  });

  test('who no longer waits is told so at once, and the models stay', async () => {
    await using provider = await startTinyProvider(slow);
    await provider.embed('red', never);
    const pids = provider.pids();
    const leaving = new AbortController();
    const path = await provider.paint('red');
    const left = provider.analyse(pictureAt(path), leaving.signal);
    const refused = assert.rejects(left, fault('unavailable', /in time/));
    await computing(await busyPid(provider));
    const behind = provider.embed('blue', leaving.signal);
    const behindRefused = assert.rejects(behind, fault('unavailable', /in time/));
    await eventually(() => assert.equal(provider.stats().queued, 1));
    leaving.abort();
    await Promise.all([refused, behindRefused]);
    assert.equal(provider.stats().queued, 0);
    await provider.embed('red', never);
    assert.deepEqual(provider.pids(), pids);
    await assert.rejects(provider.embed('red', AbortSignal.abort()), fault('unavailable', /in time/));
  });

  test('a full queue is told at once, of questions as of pictures', async () => {
    await using provider = await startTinyProvider(slow, { maxQueued: 2 });
    const path = await provider.paint('red');
    const pictures = [1, 2].map(() => provider.analyse(pictureAt(path), never));
    await assert.rejects(provider.analyse(pictureAt(path), never), fault('busy', /Too many/));
    await busyPid(provider);
    const questions = ['red', 'blue'].map((name) => provider.embed(name, never));
    await eventually(() => assert.equal(provider.stats().queued, 2));
    await assert.rejects(provider.embed('green', never), fault('busy', /Too many/));
    assert.equal((await Promise.all([...questions, ...pictures])).length, 4);
  });

  test('closing ends it with what waits, and nothing begins any more', async () => {
    const provider = await startTinyProvider(slow);
    await using _ = provider;
    await provider.embed('red', never);
    const refused = assert.rejects(analyse(provider, 'red'), fault('unavailable', /shut down/));
    const pid = await busyPid(provider);
    await provider.close();
    await refused;
    assert.throws(() => process.kill(pid, 0));
    await assert.rejects(provider.embed('red', never), fault('unavailable', /shut down/));
  });
});
