// Writes ONNX files by hand: a few operations between named tensors. Enough for models so small that a test knows what they
// answer.

export type Tensor = { readonly sides: readonly number[]; readonly values: readonly number[] };

export type Graph = {
  /** A name stands for a side of any length. */
  readonly inputs: Readonly<Record<string, Declared>>;
  readonly outputs: Readonly<Record<string, Declared>>;
  readonly constants: Readonly<Record<string, Tensor>>;
  readonly nodes: readonly Node[];
};

type Declared = { readonly type: 'float' | 'int64'; readonly sides: readonly (number | string)[] };

type Node = {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly output: string;
  /** What some operations have beside their inputs, such as the axes a mean is taken over. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
};

const elementTypes = { float: 1, int64: 7 } as const;
const operationsVersion = 11;
const formatVersion = 7;

export function writeGraph({ inputs, outputs, constants, nodes }: Graph): Buffer {
  const graph = [
    ...nodes.map((node) => bytes(1, encodeNode(node))),
    text(2, 'tiny'),
    ...Object.entries(constants).map(([name, tensor]) => bytes(5, encodeTensor(name, tensor))),
    ...Object.entries(inputs).map(([name, declared]) => bytes(11, encodeDeclared(name, declared))),
    ...Object.entries(outputs).map(([name, declared]) => bytes(12, encodeDeclared(name, declared))),
  ];
  const operations = Buffer.concat([text(1, ''), number(2, operationsVersion)]);
  return Buffer.concat([number(1, formatVersion), bytes(7, Buffer.concat(graph)), bytes(8, operations)]);
}

function encodeNode({ operation, inputs, output, attributes = {} }: Node): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(4, operation),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, encodeAttribute(name, value))),
  ]);
}

function encodeAttribute(name: string, value: number | readonly number[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([text(1, name), number(3, value), number(20, 2)]);
  return Buffer.concat([text(1, name), ...value.map((each) => number(8, each)), number(20, 7)]);
}

function encodeTensor(name: string, { sides, values }: Tensor): Buffer {
  const raw = Buffer.from(Float32Array.from(values).buffer);
  return Buffer.concat([
    ...sides.map((side) => number(1, side)),
    number(2, elementTypes.float),
    text(8, name),
    bytes(9, raw),
  ]);
}

function encodeDeclared(name: string, { type, sides }: Declared): Buffer {
  const shape = sides.map((side) => bytes(1, typeof side === 'number' ? number(1, side) : text(2, side)));
  const tensor = Buffer.concat([number(1, elementTypes[type]), bytes(2, Buffer.concat(shape))]);
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
