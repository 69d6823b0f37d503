// The limits of an account as they stand in a form: left as they are, as the tier has them, or its own.
import type { AccountRecord } from '../../../client/src/index.ts';
import { kilobytes, minutes } from '../parts/units.ts';

export type LimitName =
  | 'storage_limit'
  | 'video_minutes_limit'
  | 'rate_limit_per_minute'
  | 'variants_per_minute';
export type LimitDraft = { readonly mode: 'keep' | 'tier' | 'own'; readonly text: string };
export type LimitDrafts = Readonly<Record<LimitName, LimitDraft>>;

export type LimitKind = {
  readonly name: LimitName;
  readonly label: string;
  readonly unit: string;
  /** Of what is typed, in the unit of the service. */
  readonly factor: number;
  readonly inWords: (value: number) => string;
};

const perMinute = (value: number): string => `${value.toLocaleString('en')} a minute`;
export const limitKinds: readonly LimitKind[] = [
  { name: 'storage_limit', label: 'Storage', unit: 'megabytes', factor: 1024, inWords: kilobytes },
  { name: 'video_minutes_limit', label: 'Video', unit: 'minutes', factor: 1, inWords: minutes },
  { name: 'rate_limit_per_minute', label: 'API requests', unit: 'a minute', factor: 1, inWords: perMinute },
  { name: 'variants_per_minute', label: 'New variants', unit: 'a minute', factor: 1, inWords: perMinute },
];

export function draftsOf(mode: 'keep' | 'tier'): LimitDrafts {
  const draft: LimitDraft = { mode, text: '' };
  return {
    storage_limit: draft,
    video_minutes_limit: draft,
    rate_limit_per_minute: draft,
    variants_per_minute: draft,
  };
}

/** What is left as it is, is left out; null follows the tier. */
export function limitsOf(drafts: LimitDrafts): Partial<Record<LimitName, number | null>> {
  const given = limitKinds.filter(({ name }) => drafts[name].mode !== 'keep');
  return Object.fromEntries(
    given.map(({ name, factor }) => {
      const { mode, text } = drafts[name];
      return [name, mode === 'tier' ? null : Number(text) * factor];
    }),
  );
}

export function limitInWords({ name, inWords }: LimitKind, account: AccountRecord): string {
  const value = account[name];
  return value === null ? 'no limit' : inWords(value);
}
