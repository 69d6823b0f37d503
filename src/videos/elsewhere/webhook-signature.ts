// Whether a call came from a service we share a secret with: Mux and Cloudflare sign time and body alike, only the names of
// the parts differ. Mux's package could check its own, but would be loaded into every process that answers HTTP, and takes
// any time in the future.
import { createHmac, timingSafeEqual } from 'node:crypto';

export type SignedCall = {
  /** `t=1565220904,v1=20c75c…` */
  header: string | undefined;
  names: { time: string; signature: string };
  body: Buffer;
  secret: string;
};

const toleranceSeconds = 300;
const maxHeaderLength = 1024;

/** What makes a call the same as another, for calls that are genuine and new enough; null for all others. */
export function checkSignature({ header, names, body, secret }: SignedCall): string | null {
  if (!header || header.length > maxHeaderLength) return null;
  const parts = header.split(',').map((part) => part.trim().split('='));
  const valuesOf = (name: string): string[] =>
    parts.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const [time = '', ...others] = valuesOf(names.time);
  if (others.length > 0 || !/^\d{1,12}$/.test(time)) return null;
  if (Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return null;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const isGenuine = valuesOf(names.signature).some((given) => sameBytes(given, expected));
  return isGenuine ? `${time}.${expected.toString('hex')}` : null;
}

function sameBytes(hex: string, expected: Buffer): boolean {
  return /^[0-9a-f]{64}$/i.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
