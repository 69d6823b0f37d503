// What a webhook can be told of.
import type { Option } from '../../parts/choices.tsx';

export type EventType =
  | 'video.ready'
  | 'video.failed'
  | 'object.created'
  | 'object.deleted'
  | 'image.analyzed'
  | 'storage.warning';

export const eventOptions: readonly Option<EventType>[] = [
  { value: 'video.ready', label: 'video.ready', hint: 'Every rendition of a film can be played.' },
  { value: 'video.failed', label: 'video.failed', hint: 'A film was given up; the message says why.' },
  { value: 'object.created', label: 'object.created', hint: 'An upload was stored.' },
  { value: 'object.deleted', label: 'object.deleted', hint: 'An object was deleted.' },
  { value: 'image.analyzed', label: 'image.analyzed', hint: 'A picture has its caption and can be found.' },
  {
    value: 'storage.warning',
    label: 'storage.warning',
    hint: 'Storage came to 95% of its limit; again only after it fell below 90%.',
  },
];
export const standardEvents: readonly EventType[] = ['video.ready', 'video.failed'];
