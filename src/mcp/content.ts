// What tools answer with: a sentence, facts as JSON, and pictures small enough for a conversation.
import type { Content, ToolContext } from './tool.ts';

/** Hosts refuse answers of more than about a megabyte, and base 64 takes a third more. */
const maxPictureBytes = 700 * 1024;
/** What models can look at. */
const shownTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

export function text(words: string): Content {
  return { type: 'text', text: words };
}

export function json(facts: unknown): Content {
  return text(JSON.stringify(facts, null, 1));
}

/** A picture that cannot be shown is no reason to keep the rest of an answer back: then a sentence says why. */
export async function picture(
  address: string,
  { load, signal }: Pick<ToolContext, 'load' | 'signal'>,
): Promise<Content> {
  try {
    const response = await load(address, { signal });
    if (!response.ok) return notShown(address, `the server answered ${response.status}`);
    const mimeType = response.headers.get('content-type') ?? '';
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!shownTypes.has(mimeType)) return notShown(address, `it is ${mimeType || 'of an unknown type'}`);
    if (bytes.length > maxPictureBytes) return notShown(address, 'it is too large');
    return { type: 'image', data: bytes.toString('base64'), mimeType };
  } catch (error) {
    signal.throwIfAborted();
    return notShown(address, (error as Error).message);
  }
}

/** Each under its id, so that nobody takes one for another. */
export async function pictures(
  shown: readonly { id: string; address: string }[],
  context: ToolContext,
): Promise<Content[]> {
  const loaded = await Promise.all(shown.map(({ address }) => picture(address, context)));
  return shown.flatMap(({ id }, index) => [text(`${id}:`), loaded[index] as Content]);
}

function notShown(address: string, why: string): Content {
  return text(`The picture at ${address} cannot be shown here: ${why}.`);
}
