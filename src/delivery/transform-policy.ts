// Whether an address may be rendered for anybody: always (`open`), only what the account made or named (`presets`), or
// only with a signature (`signed`). The addresses that listings hand out are always open.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../platform/errors.ts';
import type { ObjectFacts } from './object-facts.ts';

const alwaysOpen = new Set(['original', 'original.webp', 'h-200_w-200.webp']);

export type PolicyCheck = {
  facts: ObjectFacts;
  /** The canonical form of what is asked for. */
  name: string;
  /** Whether the address names a preset and nothing beside it. */
  presetAlone: boolean;
  /** The path as it was sent. */
  path: string;
  query: URLSearchParams;
  isKept: () => Promise<boolean>;
  openSecret: (sealed: string) => string;
};

/** Whether the address needs neither signature nor look-up: then its answer may be kept in memory. */
export function isOpen(facts: ObjectFacts, name: string, presetAlone: boolean): boolean {
  return (
    facts.transform_policy === 'open' ||
    alwaysOpen.has(name) ||
    (facts.transform_policy === 'presets' && (presetAlone || name.startsWith('original.')))
  );
}

export async function checkPolicy(check: PolicyCheck): Promise<void> {
  const { facts, name, presetAlone } = check;
  if (isOpen(facts, name, presetAlone)) return;
  if (facts.transform_policy === 'presets') {
    if (await check.isKept()) return;
    throw new AppError(
      'transformation_not_allowed',
      'This account allows only presets and variants made with /create',
    );
  }
  if (!hasValidSignature(check)) {
    throw new AppError(
      'transformation_not_allowed',
      'This account needs a valid signature on this address: ?exp=…&sig=…',
    );
  }
}

function hasValidSignature({ facts, path, query, openSecret }: PolicyCheck): boolean {
  const exp = query.get('exp') ?? '';
  const given = Buffer.from(query.get('sig') ?? '', 'base64url');
  if (!facts.signing_secret_sealed || !/^\d{1,12}$/.test(exp) || Number(exp) * 1000 < Date.now())
    return false;
  const expected = createHmac('sha256', openSecret(facts.signing_secret_sealed))
    .update(`${path}?exp=${exp}`)
    .digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}
