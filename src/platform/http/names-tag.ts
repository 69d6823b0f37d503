// If-None-Match, as RFC 9110 has it: one tag, a list of them, or any. Pure.

/** Whether the header names this tag (weak comparison, as the RFC asks for it). */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
