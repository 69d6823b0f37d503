// When a new key stops working.
export type Expiry = 'never' | '30' | '90' | 'date';

const dayMs = 86_400_000;

/** As the service takes it; null is never. A date means the end of that day, where the user is. */
export function expiresAt(expiry: Expiry, date: string, now = Date.now()): string | null {
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now + Number(expiry) * dayMs).toISOString();
  const end = new Date(`${date}T23:59:59`);
  // What is no date goes as it is: the service says what is wrong with it.
  return Number.isNaN(end.getTime()) ? date : end.toISOString();
}
