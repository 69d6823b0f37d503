// What a variant costs that nobody asked for before, in processor time of all processes that take part: with the smaller copy
// of the original and without, beside ipx, and beside the image library alone. Bytes and likeness stand beside it, so that
// speed is not bought with quality.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { temporaryFolder } from './support/cleanup.ts';
import { findIpx, howToInstallIpx } from './support/ipx.ts';
import { photographs } from './support/photographs.ts';
import {
  type RenderedBatch,
  renderAll,
  type Renderer,
  type RendererName,
  startIpx,
  startSharp,
  startTintype,
  type Wanted,
} from './support/renderers.ts';
import { atLeast, type Figure, type Scenario } from './support/report.ts';
import { lumaOf, ssim } from './support/ssim.ts';
import { mean, median } from './support/statistics.ts';

const originalCount = 4;
const rounds = 5;
const perRound = 12;
const sizes = [
  { name: 'w-800.webp', around: 800, square: false, exact: 800 },
  { name: 'h-200_w-200.webp', around: 200, square: true, exact: 204 },
] as const;
type WantedSize = (typeof sizes)[number];
type Round = Partial<Record<RendererName, RenderedBatch>>;

export const rendering: Scenario = async () => {
  using folder = temporaryFolder();
  await using started = new AsyncDisposableStack();
  const files = join(folder.path, 'originals');
  const originals = await photographs(originalCount);
  mkdirSync(files);
  for (const [i, original] of originals.entries()) writeFileSync(join(files, `${i}.jpg`), original);
  const ipx = findIpx();
  const renderers: Renderer[] = [];
  for (const start of [
    () => startTintype('with', join(folder.path, 'with'), originals),
    () => startTintype('without', join(folder.path, 'without'), originals),
    () => startSharp(files),
    ...(ipx ? [() => startIpx(ipx, files)] : []),
  ])
    renderers.push(started.use(await start()));
  const peer = ipx ? `ipx ${ipx.version} (sharp ${ipx.sharpVersion})` : null;
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await measureSize(size, renderers, originals, peer)));
  return [...figures, preparation(renderers)];
};

async function measureSize(
  size: WantedSize,
  renderers: readonly Renderer[],
  originals: readonly Buffer[],
  peer: string | null,
): Promise<Figure[]> {
  for (const renderer of renderers) await renderAll(renderer, wantedOf(size, rounds));
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const batches: Round = {};
    for (const renderer of renderers)
      batches[renderer.name] = await renderAll(renderer, wantedOf(size, round));
    measured.push(batches);
  }
  const shown: Round = {};
  for (const renderer of renderers) shown[renderer.name] = await renderAll(renderer, exactly(size));
  return [
    ...ratios(size, measured, peer),
    perRenderer('  CPU per image', (name) => `${cpuOf(measured, name).toFixed(1)} ms`, shown),
    perRenderer('  bytes', (name) => `${(mean(bytesOf(shown, name)) / 1000).toFixed(1)} KB`, shown),
    ...(await likeness(size, shown, originals)),
  ];
}

/** A size that divides without rest, so that nobody's rounding shifts the picture by a part of a pixel. */
function exactly({ exact, square }: WantedSize): Wanted[] {
  return Array.from({ length: originalCount }, (_, original) => ({
    original,
    width: exact,
    height: square ? exact : null,
  }));
}

/** No round asks for what another asked for; the one after the last is for warming up. */
function wantedOf({ around, square }: WantedSize, round: number): Wanted[] {
  return Array.from({ length: perRound }, (_, i) => {
    const step = Math.floor((round * perRound + i) / originalCount);
    const width = around - 10 + step;
    return { original: i % originalCount, width, height: square ? width : null };
  });
}

function ratios({ name }: WantedSize, measured: readonly Round[], peer: string | null): Figure[] {
  const ratio = (ours: RendererName, theirs: RendererName): number =>
    median(
      measured.map(
        (round) =>
          (round[theirs] as RenderedBatch).cpuMsPerImage / (round[ours] as RenderedBatch).cpuMsPerImage,
      ),
    );
  const what = `12 MP JPEG to ${name}, images per CPU second`;
  const chart = (label: string) => ({ label: `${name} of 12 MP, ${label}` });
  return [
    peer === null
      ? { what: `${what}, to ipx`, value: howToInstallIpx }
      : atLeast(`${what}, to ${peer}`, ratio('with', 'ipx'), 2, ' ×', 2, chart('to ipx 3.1')),
    ...(peer === null
      ? []
      : [{ what: '  without the smaller copy, to ipx', value: `${ratio('without', 'ipx').toFixed(2)} ×` }]),
    atLeast(
      '  without the smaller copy, to bare sharp',
      ratio('without', 'sharp'),
      0.95,
      ' ×',
      2,
      chart('no smaller copy, to bare sharp'),
    ),
    { what: '  with it, to bare sharp', value: `${ratio('with', 'sharp').toFixed(2)} ×` },
  ];
}

function perRenderer(what: string, show: (name: RendererName) => string, round: Round): Figure {
  const names = Object.keys(round) as RendererName[];
  return { what: `${what}: ${names.join(' / ')}`, value: names.map(show).join(' / ') };
}

function cpuOf(measured: readonly Round[], name: RendererName): number {
  return median(measured.map((round) => (round[name] as RenderedBatch).cpuMsPerImage));
}

function bytesOf(round: Round, name: RendererName): number[] {
  return (round[name] as RenderedBatch).images.map((image) => image.length);
}

/** To the original brought to the same size with nothing lost: Lanczos from all its pixels, not compressed. */
async function likeness(size: WantedSize, round: Round, originals: readonly Buffer[]): Promise<Figure[]> {
  const found: Partial<Record<RendererName, number[]>> = {};
  for (const [i, { original, width, height }] of exactly(size).entries()) {
    const resized = sharp(originals[original] as Buffer).resize(width, height, { fastShrinkOnLoad: false });
    const ideal = await pixelsOf(resized);
    for (const [name, { images }] of Object.entries(round) as [RendererName, RenderedBatch][])
      (found[name] ??= []).push(ssim(ideal, await pixelsOf(sharp(images[i] as Buffer))));
  }
  return [perRenderer('  SSIM', (name) => mean(found[name] as number[]).toFixed(4), round)];
}

async function pixelsOf(image: Sharp) {
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return lumaOf(data, info.width, info.height);
}

function preparation(renderers: readonly Renderer[]): Figure {
  const prepared = renderers.filter(({ preparingMs }) => preparingMs !== undefined);
  return {
    what: `once for each upload, CPU: ${prepared.map(({ name }) => name).join(' / ')}`,
    value: `${prepared.map(({ preparingMs = 0 }) => preparingMs.toFixed(0)).join(' / ')} ms`,
  };
}
