// What a file from an address is called: as its server says, or as the address ends. Pure.

export function sourceFileName(disposition: string | undefined, url: URL): string {
  return namedBy(disposition ?? '') ?? decoded(url.pathname.split('/').at(-1) ?? '') ?? '';
}

function namedBy(disposition: string): string | undefined {
  const [, extended] = /;\s*filename\*=utf-8'[^']*'([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, bare] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const plain = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return (extended === undefined ? undefined : decoded(extended)) ?? (plain && asUtf8(plain));
}

/** Node reads headers as Latin-1; servers that write more than ASCII mostly write UTF-8. */
function asUtf8(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
