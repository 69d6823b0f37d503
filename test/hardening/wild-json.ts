// JSON as no client library writes it: values of the wrong kind, size, depth and number, names that mean something to
// JavaScript, the same name twice; and then sometimes damaged as text.
import type { Random } from '../support/random.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { mutateText } from './mutate.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const strings = hostileStrings();
const numbers =
  '0 -0 -1 1e309 -1e309 1e-400 9007199254740993 0.1 1.0 1e2 123456789012345678901234567890'.split(' ');
const names = '__proto__ constructor prototype tags folder email objects action length toString'.split(' ');
const signs = ['"', '\\', '{', '}', '[', ']', ':', ',', 'null', '\\u0000', '\\ud800', '/*', '\ufeff'];
const pieces = [...signs, '"__proto__":{},', ...numbers, ...names];

export function wildJson(random: Random, sample: Json): string {
  const printed = print(random, sample, random.chance(0.9) ? 0.25 : 0);
  return random.chance(0.3) ? mutateText(random, printed, [...pieces, random.pick(strings)]) : printed;
}

/** The sample as text; each value is something else with this probability. */
function print(random: Random, value: Json, wildness: number): string {
  if (random.chance(wildness)) return wild(random, value);
  if (Array.isArray(value)) return `[${value.map((item) => print(random, item, wildness)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).flatMap(([name, item]) => {
    if (random.chance(wildness / 4)) return [];
    const wildName = random.chance(wildness / 4) ? random.pick([...names, ...strings]) : name;
    const entry = `${JSON.stringify(wildName)}:${print(random, item, wildness)}`;
    return random.chance(wildness / 8) ? [entry, entry] : [entry];
  });
  return `{${random.shuffle(entries).join(',')}}`;
}

function wild(random: Random, value: Json): string {
  const makers: (() => string)[] = [
    () => JSON.stringify(random.pick(strings)),
    () => JSON.stringify(mutateText(random, typeof value === 'string' ? value : 'text', strings)),
    () => random.pick(numbers),
    () => random.pick(['null', 'true', 'false', '[]', '{}', '""', '[[]]', '[{}]', '[null]']),
    () => `[${JSON.stringify(value)},${JSON.stringify(random.pick(strings))}]`,
    () => `{${JSON.stringify(random.pick(names))}:${JSON.stringify(value)}}`,
    () => (random.chance(0.1) ? large(random) : '{"a":{"b":[1,{"c":null}]}}'),
  ];
  return random.pick(makers)();
}

function large(random: Random): string {
  const depth = random.between(10, 40_000);
  return random.pick([
    () => '['.repeat(depth) + ']'.repeat(depth),
    () => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    () => `[${Array.from({ length: 3000 }, (_, index) => `"t${index}"`).join(',')}]`,
    () => JSON.stringify(random.pick(['x', '/', 'x/', ' ', ',', '\\', '🦊', '-']).repeat(depth) + 'x'),
    () => JSON.stringify(`x${random.pick(['/', ' ', ',', '.', '_', '-']).repeat(depth)}x`),
  ])();
}
