// A graph of filters, written in FFmpeg's own language, with one way in and one or several ways out.
import { FilterGraph, Frame } from 'node-av/lib';
import type { FilterContext, Rational } from 'node-av/lib';
import { checked } from './checked.ts';

export type FilterChain = Disposable & {
  readonly outputs: readonly FilterOutput[];
  /** Takes a frame, or at the end null; what comes out is fetched from the outputs. */
  push(frame: Frame | null): void;
};

export type FilterOutput = {
  readonly timeBase: Rational;
  readonly sink: FilterContext;
  /** Until it has no more for now. The frame is the same each time. */
  frames(): Generator<Frame>;
};

/** The description begins with a source called `in` and ends with sinks called `out0`, `out1` and so on. */
export function openFilterChain(kind: 'video' | 'audio', description: string, threads: number): FilterChain {
  const prefix = kind === 'audio' ? 'a' : '';
  const graph = new FilterGraph();
  graph.alloc();
  graph.nbThreads = threads;
  checked(graph.parsePtr(description), description);
  checked(graph.configSync(), description);
  const source = graph.getFilter(`${prefix}buffer@in`);
  if (source === null) throw new Error(`There is no way into ${description}`);
  const outputs: FilterOutput[] = [];
  for (let sink = outputOf(0); sink !== null; sink = outputOf(outputs.length)) outputs.push(openOutput(sink));
  function outputOf(index: number): FilterContext | null {
    return graph.getFilter(`${prefix}buffersink@out${index}`);
  }
  return {
    outputs,
    push: (frame) => void checked(source.buffersrcAddFrameSync(frame), 'filter'),
    [Symbol.dispose]: () => graph.free(),
  };
}

function openOutput(sink: FilterContext): FilterOutput {
  const frame = new Frame();
  frame.alloc();
  return {
    timeBase: sink.buffersinkGetTimeBase(),
    sink,
    *frames() {
      while (sink.buffersinkGetFrameSync(frame) >= 0) {
        yield frame;
        frame.unref();
      }
    },
  };
}
