// The smallest model of its kind: the answer is the brightness of each pixel, times a factor, plus an offset. So a test can
// tell exactly what a model was shown.
import { writeGraph } from './tiny-graph.ts';

type Options = {
  /** A name stands for a side of any length. */
  readonly height: number | string;
  readonly width: number | string;
  readonly channels?: number;
  readonly factor: number;
  readonly offset: number;
};

export function tinyModel({ height, width, channels = 3, factor, offset }: Options): Buffer {
  const scalar = (value: number) => ({ sides: [], values: [value] });
  return writeGraph({
    inputs: { picture: { type: 'float', sides: [1, channels, height, width] } },
    outputs: { matte: { type: 'float', sides: [1, 1, height, width] } },
    constants: { factor: scalar(factor), offset: scalar(offset) },
    nodes: [
      {
        operation: 'ReduceMean',
        inputs: ['picture'],
        output: 'grey',
        attributes: { axes: [1], keepdims: 1 },
      },
      { operation: 'Mul', inputs: ['grey', 'factor'], output: 'scaled' },
      { operation: 'Add', inputs: ['scaled', 'offset'], output: 'matte' },
    ],
  });
}
