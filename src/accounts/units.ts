// The units of the API against those of the database: kilobytes and minutes with two decimals outside, whole bytes and
// seconds inside; ISO 8601 outside, milliseconds inside.

export function toKilobytes(bytes: number): number {
  return Math.round((bytes / 1024) * 100) / 100;
}

export function toMinutes(seconds: number): number {
  return Math.round((seconds / 60) * 100) / 100;
}

/** Limits round down: a fraction of a byte holds nothing. */
export function limitToBytes(kilobytes: number): number {
  return Math.floor(kilobytes * 1024);
}

export function limitToSeconds(minutes: number): number {
  // 2.05 × 60 is 122.99999999999999 to the machine.
  return Math.floor(minutes * 60 + 1e-6);
}

export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const isoShape = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Null unless it is an ISO 8601 date, or date and time with its zone, that exists in the calendar. */
export function parseIsoTime(text: string): number | null {
  const [, year, month, day] = isoShape.exec(text) ?? [];
  const ms = Date.parse(text);
  if (!day || Number.isNaN(ms)) return null;
  // The engine takes 30 February for 2 March.
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= daysInMonth ? ms : null;
}
