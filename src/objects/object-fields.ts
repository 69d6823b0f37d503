// The rules for what a user may call things: object ids, tags, folders, file names. Pure.
import { AppError } from '../platform/errors.ts';

const objectIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const reservedIds = new Set(['tags', 'search', 'bulk']);
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
export const videoIdPrefix = 'vid-';
const maxTags = 100;
const maxTagCharacters = 100;
const maxFolderCharacters = 512;
const maxFileNameBytes = 255;

/** Null when none was given. */
export function parseObjectId(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  if (!objectIdPattern.test(text) || reservedIds.has(text)) throw new AppError('invalid_object_id');
  return text;
}

/** Whether a text could name an object at all; what could not is simply not found. */
export function isObjectId(text: string): boolean {
  return objectIdPattern.test(text) && !reservedIds.has(text);
}

export function parseTagList(text: string | undefined): string[] {
  return checkTags((text ?? '').split(','));
}

/** Trims, drops empty ones and duplicates, keeps order and case. */
export function checkTags(tags: readonly string[]): string[] {
  const kept = [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
  if (kept.length > maxTags) throw new AppError('bad_request', `An object can have at most ${maxTags} tags`);
  for (const tag of kept) {
    const fault = tagFault(tag);
    if (fault) throw new AppError('bad_request', fault);
  }
  return kept;
}

/** What is wrong with a trimmed tag, or null. */
export function tagFault(tag: string): string | null {
  if (charactersIn(tag) > maxTagCharacters) return `A tag can have at most ${maxTagCharacters} characters`;
  if (tag.includes(',')) return 'A tag cannot contain a comma';
  return isCleanText(tag) ? null : 'A tag cannot contain control characters';
}

export function parseFolder(text: string | null | undefined): string | null {
  const folder = withoutOuterSlashes(text ?? '');
  if (folder === '') return null;
  if (charactersIn(folder) > maxFolderCharacters) {
    throw new AppError('bad_request', `A folder name can have at most ${maxFolderCharacters} characters`);
  }
  if (!isCleanText(folder))
    throw new AppError('bad_request', 'A folder name cannot contain control characters');
  if (folder.split('/').some((part) => part === '.' || part === '..')) {
    throw new AppError('bad_request', 'A folder name cannot contain "." or ".." as a part');
  }
  return folder;
}

/** By hand: a pattern for slashes at the end takes quadratic time on slashes in the middle. */
function withoutOuterSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '/') start += 1;
  while (end > start && text[end - 1] === '/') end -= 1;
  return text.slice(start, end);
}

/** The last path part without control characters, cut to 255 bytes at a character's edge. */
export function cleanFileName(name: string | undefined): string {
  const last = (name ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const visible = last.replace(new RegExp(controlCharacters, 'g'), '').trim();
  const bytes = Buffer.from(visible);
  if (bytes.length <= maxFileNameBytes) return visible || 'file';
  return new TextDecoder().decode(bytes.subarray(0, maxFileNameBytes), { stream: true }).trimEnd();
}

/** As a person counts them, more or less: an emoji is two units of a string but one character. */
function charactersIn(text: string): number {
  return Array.from(text).length;
}

function isCleanText(text: string): boolean {
  return !controlCharacters.test(text) && text.isWellFormed();
}
