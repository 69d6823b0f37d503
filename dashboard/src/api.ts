// The one connection of the page to its service. The session's cookie says who asks; the header says it is our page.
import { isRefusal, Tintype } from '../../client/src/index.ts';

/** The uploader sends it without the client. */
export const pageHeaders = { 'X-Tintype-Page': '1' };
export const tintype = new Tintype({ url: '', headers: pageHeaders });

export function isSignedOut(error: unknown): boolean {
  return isRefusal(error, 'invalid_api_key');
}
