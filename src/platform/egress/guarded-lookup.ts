// Finds the addresses of a name at the moment of connecting, and refuses the name when any of them leads inside: what is
// checked here is what is connected to, so a name that changes its address in between gains nothing.
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicIp } from './public-address.ts';

export type Resolve = (hostname: string) => Promise<string[]>;

export class PrivateAddress extends Error {}

export const resolveBySystem: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map(({ address }) => address);

/** In the form in which Node asks when it opens a socket. */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, answer) => {
    resolve(hostname).then(
      (found) => {
        const addresses = found.map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicIp(address)))
          return answer(new PrivateAddress(), '', 0);
        if (options.all) return answer(null, addresses);
        return answer(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => answer(error, '', 0),
    );
  };
}
