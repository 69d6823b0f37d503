// Where a running service is and the key to it: what commands need that talk to one, on machines that may run none.
import { optional, secret, visibleAscii, webAddress } from './setting-kinds.ts';

export const serviceAccessSettings = {
  TINTYPE_URL: optional(
    webAddress,
    'address of the service that `tintype mcp` and `tintype import` talk to',
    'none: `import` works on `DATA_DIR`',
  ),
  TINTYPE_KEY: secret(optional(visibleAscii(8, 500), 'API key for that service', 'none')),
};

export type ServiceAccess = { readonly url: string | undefined; readonly key: string | undefined };
