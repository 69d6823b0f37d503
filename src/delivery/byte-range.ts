// Range requests over one representation, as RFC 9110 has them. Pure.

export type Range = { start: number; end: number };

/** Null: send everything. Several ranges are answered with everything, which the RFC allows and no player minds. */
export function parseRange(header: string | undefined, sizeBytes: number): Range | null | 'unsatisfiable' {
  if (header === undefined) return null;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header.trim()) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
