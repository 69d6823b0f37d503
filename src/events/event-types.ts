// What an account can be told of, and how a list of that is written in a row.

export const eventTypes = [
  'video.ready',
  'video.failed',
  'object.created',
  'object.deleted',
  'image.analyzed',
  'storage.warning',
] as const;
export type EventType = (typeof eventTypes)[number];

/** What an endpoint gets that asked for nothing in particular. */
export const defaultEventTypes: readonly EventType[] = ['video.ready', 'video.failed'];

/** Sent on request only; nobody subscribes to it. */
export const testType = 'webhook.test';

export function joinTypes(types: readonly EventType[]): string {
  return ` ${[...new Set(types)].join(' ')} `;
}

export function splitTypes(joined: string): string[] {
  return joined.trim().split(' ');
}
