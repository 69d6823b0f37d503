import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planStoryboard, storyboardVtt } from './storyboard.ts';

test('a thumbnail a second, at most a hundred, on keyframes when the film is long', () => {
  const wide = { width: 1920, height: 1080 };
  const plans = [400, 2500, 100_000, 101_000, 3_600_000].map((durationMs) => {
    const plan = planStoryboard({ durationMs, ...wide });
    return [plan.intervalMs, plan.count, plan.columns, plan.rows, plan.keyframesOnly];
  });
  assert.deepEqual(plans, [
    [1000, 1, 1, 1, false],
    [1000, 3, 3, 1, false],
    [1000, 100, 10, 10, false],
    [4000, 26, 10, 3, true],
    [36_000, 100, 10, 10, true],
  ]);
  assert.equal(planStoryboard({ durationMs: 1000, ...wide }).height, 90);
  assert.equal(planStoryboard({ durationMs: 1000, width: 720, height: 1280 }).height, 284);
});

test('every moment has its place in the picture', () => {
  const plan = planStoryboard({ durationMs: 11_500, width: 320, height: 180 });
  const cues = storyboardVtt(plan, 11_500, 'storyboard.jpg').split('\n\n');
  assert.equal(cues[0], 'WEBVTT');
  assert.equal(cues.length, 13);
  assert.equal(cues[1], '00:00:00.000 --> 00:00:01.000\nstoryboard.jpg#xywh=0,0,160,90');
  assert.equal(cues[12], '00:00:11.000 --> 00:00:11.500\nstoryboard.jpg#xywh=160,90,160,90\n');
  const late = storyboardVtt(
    planStoryboard({ durationMs: 7_200_000, width: 16, height: 9 }),
    7_200_000,
    's.jpg',
  );
  assert.match(late, /01:58:48\.000 --> 02:00:00\.000\ns\.jpg#xywh=1440,810,160,90\n$/);
});
