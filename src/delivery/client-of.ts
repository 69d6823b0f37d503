// Who asks, as far as it matters for sharing a budget fairly: the address of the client, or the network it has to itself.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** An IPv6 client has at least this much of its own. */
const ownPrefixBits = 64;
const unknown = 'unknown';

export function createClientOf({ trustProxy }: { trustProxy: boolean }) {
  return function clientOf(request: IncomingMessage): string {
    const forwarded = trustProxy ? request.headers['x-forwarded-for'] : undefined;
    // Only the last entry was written by our own proxy; what comes before, anybody can claim.
    const last = String(forwarded ?? '')
      .split(',')
      .at(-1)
      ?.trim();
    return networkOf(last || (request.socket.remoteAddress ?? ''));
  };
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return unknown;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${ownPrefixBits}`).toString();
}
