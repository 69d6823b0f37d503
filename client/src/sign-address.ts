// Signs an address of an account whose transform policy is `signed`. For servers: whoever has the secret can sign everything.

/** @param expiresAt When the address stops to work. */
export async function signAddress(address: string, signingSecret: string, expiresAt: Date): Promise<string> {
  const signed = new URL(address);
  const expires = Math.floor(expiresAt.getTime() / 1000);
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(signingSecret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const message = new TextEncoder().encode(`${signed.pathname}?exp=${expires}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
  signed.searchParams.set('exp', String(expires));
  signed.searchParams.set('sig', base64url(signature));
  return signed.href;
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
