// Accept-Encoding, as RFC 9110 has it: names with weights, of which 0 refuses, and `*` for those that are not named. Pure.

export function acceptsEncoding(header: string, encoding: string): boolean {
  const weights = new Map(header.split(',').map(weighed));
  return (weights.get(encoding) ?? weights.get('*') ?? 0) > 0;
}

function weighed(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight)];
}
