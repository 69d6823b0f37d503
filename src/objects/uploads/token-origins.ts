// From which web pages uploads may come: those with a one-time token from every one.
import type { FastifyRequest } from 'fastify';
import { isPreflight } from '../../platform/http/cors.ts';
import { tokenPrefix } from './upload-token.ts';

const uploadPaths = /^\/upload(?:\/resumable(?:\/[^/]*)?)?\/?$/;
const tokenInHeader = new RegExp(`^Bearer +${tokenPrefix}`, 'i');

/**
 * Whether any web page may send this. A token is no cookie: a page has one only if it was given it, so there is nothing to
 * protect by its origin. What a browser asks beforehand names no token yet, and is granted wherever one could come.
 */
export function mayComeFromAnywhere(request: FastifyRequest): boolean {
  if (!uploadPaths.test(request.url.split('?', 1)[0] as string)) return false;
  return isPreflight(request) || tokenInHeader.test(request.headers.authorization ?? '');
}
