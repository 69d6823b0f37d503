// The headers of a delivery as the Standard Webhooks specification has them. Secrets are opened here and nowhere else.
import { Webhook as Signer } from 'standardwebhooks';
import type { SecretBox } from '../platform/secrets.ts';
import type { Webhook, WebhookDelivery } from './tables.ts';

export function signedHeaders(
  secretBox: SecretBox,
  endpoint: Pick<Webhook, 'secret_sealed' | 'previous_secret_sealed' | 'previous_until'>,
  { delivery_id: id, body }: Pick<WebhookDelivery, 'delivery_id' | 'body'>,
  now: number,
): Record<string, string> {
  const { previous_secret_sealed: previous, previous_until: until } = endpoint;
  // For a day after a rotation both sign, so that a receiver may change over at any moment of it.
  const sealed = [endpoint.secret_sealed, ...(previous !== null && (until ?? 0) > now ? [previous] : [])];
  const signatures = sealed.map((each) => new Signer(secretBox.open(each)).sign(id, new Date(now), body));
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
