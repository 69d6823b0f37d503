import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureFilters } from './picture-filters.ts';
import type { SourcePicture } from './picture-filters.ts';

const source: SourcePicture = {
  width: 1920,
  height: 1080,
  pixelFormat: 0,
  range: 1,
  isRgb: false,
  interlaced: false,
  matrix: 'bt709',
  primaries: 'other',
  transfer: 'other',
};
const upright = { width: 1920, height: 1080, rotation: 0, mirrored: false } as const;
const outputs = [
  { width: 1280, height: 720 },
  { width: 854, height: 480 },
];

function filters(
  changes: Partial<SourcePicture>,
  display: Parameters<typeof pictureFilters>[1] = upright,
): string {
  return pictureFilters({ ...source, ...changes }, display, outputs, { maxFrameRate: null });
}

test('a plain film is scaled once for all rungs and then for each', () => {
  assert.equal(
    filters({}),
    [
      'buffer@in=video_size=1920x1080:pix_fmt=0:time_base=1/90000:colorspace=bt709:range=1,' +
        'scale=1280:720:flags=bicubic:out_range=limited,format=yuv420p,setsar=1,split=2[s0][s1]',
      '[s0]buffersink@out0',
      '[s1]scale=854:480:flags=bicubic,setsar=1,buffersink@out1',
    ].join(';'),
  );
});

test('each oddity adds its filter, and only that', () => {
  assert.match(filters({ interlaced: true }), /,bwdif=[^,]+,scale=/);
  assert.match(
    filters({ transfer: 'smpte2084', matrix: 'bt2020nc' }),
    /scale=[^;]*tonemap=[^;]*matrix=bt709/,
  );
  assert.match(filters({ primaries: 'bt2020', matrix: 'bt2020nc' }), /zscale=primaries=bt709/);
  assert.doesNotMatch(filters({ primaries: 'bt2020', matrix: 'bt2020nc' }), /tonemap/);
  assert.match(filters({ isRgb: true, matrix: 'gbr' }), /scale=1280:720:[^,]*out_color_matrix=bt709/);
  assert.match(filters({ matrix: 'unknown' }), /setparams=colorspace=bt709,/);
  assert.match(
    filters({ matrix: 'unknown', primaries: 'unknown', transfer: 'unknown', height: 480 }),
    /setparams=colorspace=smpte170m:color_primaries=smpte170m:color_trc=smpte170m,/,
  );
});

test('what is turned is scaled lying and then set upright', () => {
  const turned = pictureFilters(source, { ...upright, rotation: 90 }, [{ width: 720, height: 1280 }], {
    maxFrameRate: 60,
  });
  assert.match(turned, /fps=60,.*scale=1280:720:.*transpose=clock,format=yuv420p,setsar=1,buffersink@out0$/);
  assert.match(filters({}, { ...upright, mirrored: true, rotation: 180 }), /,hflip,hflip,vflip,/);
});
