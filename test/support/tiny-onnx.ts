// Writes the smallest models that still are ONNX files: the answer is the brightness of each pixel, times a factor, plus
// an offset. So a test can tell exactly what a model was shown.

type Options = {
  /** A name stands for a side of any length. */
  readonly height: number | string;
  readonly width: number | string;
  readonly channels?: number;
  readonly factor: number;
  readonly offset: number;
};

const floatType = 1;

export function tinyModel({ height, width, channels = 3, factor, offset }: Options): Buffer {
  const graph = [
    bytes(1, node('ReduceMean', ['picture'], 'grey', [axesAttribute, keepAttribute])),
    bytes(1, node('Mul', ['grey', 'factor'], 'scaled')),
    bytes(1, node('Add', ['scaled', 'offset'], 'matte')),
    text(2, 'tiny'),
    bytes(5, scalar('factor', factor)),
    bytes(5, scalar('offset', offset)),
    bytes(11, tensorInfo('picture', [1, channels, height, width])),
    bytes(12, tensorInfo('matte', [1, 1, height, width])),
  ];
  const opset = Buffer.concat([text(1, ''), number(2, 11)]);
  return Buffer.concat([number(1, 7), bytes(7, Buffer.concat(graph)), bytes(8, opset)]);
}

const axesAttribute = Buffer.concat([text(1, 'axes'), number(8, 1), number(20, 7)]);
const keepAttribute = Buffer.concat([text(1, 'keepdims'), number(3, 1), number(20, 2)]);

function node(operation: string, inputs: string[], output: string, attributes: Buffer[] = []): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(4, operation),
    ...attributes.map((attribute) => bytes(5, attribute)),
  ]);
}

function scalar(name: string, value: number): Buffer {
  const raw = Buffer.alloc(4);
  raw.writeFloatLE(value);
  return Buffer.concat([number(2, floatType), text(8, name), bytes(9, raw)]);
}

function tensorInfo(name: string, sides: (number | string)[]): Buffer {
  const shape = sides.map((side) => bytes(1, typeof side === 'number' ? number(1, side) : text(2, side)));
  const tensor = Buffer.concat([number(1, floatType), bytes(2, Buffer.concat(shape))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

// Protocol Buffers: every field begins with its number and whether a varint (0) or a length (2) follows.

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const result: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...result, rest]);
    result.push((rest & 127) | 128);
  }
}
