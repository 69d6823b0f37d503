// Which addresses an account may have us call: only those of the public internet, however they are spelt. Names are
// judged by their form here; what they resolve to is judged by `isPublicIp` at the moment of connecting.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../errors.ts';

const maxUrlLength = 2048;
/** Names that only mean something inside a network. */
const insideSuffixes = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
];
const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Throws a sentence that says what is wrong with the address. */
export function assertPublicAddress(url: string, options: { allowPrivate: boolean }): void {
  const parsed = parseWebAddress(url);
  if (!options.allowPrivate && !isPublicHost(parsed.hostname)) {
    throw new AppError(
      'bad_request',
      'The address must be on the public internet; local, private and reserved addresses are not allowed',
    );
  }
}

/** False for everything that is not plainly a public address, also for public ones in an IPv6 disguise. */
export function isPublicIp(ip: string): boolean {
  if (isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast6);
}

function parseWebAddress(url: string): URL {
  // The parser would drop line breaks and tabs without a word.
  // oxlint-disable-next-line no-control-regex
  const parsed = /[\u0000-\u0020\u007f]/.test(url) ? null : URL.parse(url);
  if (!parsed || url.length > maxUrlLength || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new AppError(
      'bad_request',
      'The address must be a full address that begins with http:// or https://',
    );
  }
  if (parsed.username || parsed.password)
    throw new AppError('bad_request', 'The address must not contain a user name or password');
  return parsed;
}

/** The URL parser has already turned every spelling of an IPv4 address into four decimal numbers. */
function isPublicHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
  if (isIP(host)) return isPublicIp(host);
  if (!host.includes('.') || host.includes('..')) return false;
  return !insideSuffixes.some((suffix) => host.endsWith(`.${suffix}`));
}
