// Sizes, times and counts as people read them.
const numbers = new Intl.NumberFormat('en');

export function count(value: number, one: string, many = `${one}s`): string {
  return `${numbers.format(value)} ${value === 1 ? one : many}`;
}

export function kilobytes(value: number): string {
  return bytes(value * 1024);
}

export function minutes(value: number): string {
  return `${numbers.format(value)} min`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${Math.round(value)} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log(value) / Math.log(1024)));
  const scaled = value / 1024 ** power;
  return `${scaled.toFixed(scaled < 10 ? 1 : 0)} ${units[power - 1]}`;
}

export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export function dateAndTime(iso: string): string {
  return new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}

export function ago(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  const steps: [number, Intl.RelativeTimeFormatUnit][] = [
    [60, 'second'],
    [3600, 'minute'],
    [86_400, 'hour'],
    [Infinity, 'day'],
  ];
  const [, unit] = steps.find(([limit]) => seconds < limit) ?? [0, 'day'];
  const size = { second: 1, minute: 60, hour: 3600, day: 86_400 }[
    unit as 'second' | 'minute' | 'hour' | 'day'
  ];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-Math.round(seconds / size), unit);
}
