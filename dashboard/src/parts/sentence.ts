// A fault in words a person can act on.
import { ConnectionError, TintypeError } from '../../../client/src/index.ts';

export function sentence(error: unknown): string {
  if (error instanceof TintypeError) return ended(error.message);
  if (error instanceof ConnectionError)
    return 'The service does not answer. Check that it runs, and your connection.';
  if (error instanceof Error && isOldPage(error))
    return 'The service was updated since this page was opened. Reload the page.';
  return 'Something went wrong in this page. Reload it; if that does not help, tell whoever runs this service.';
}

/** A part of the page that is no longer there: files are named by their content, and a new version has others. */
function isOldPage(error: Error): boolean {
  return /dynamically imported module|Importing a module script|preload CSS/i.test(error.message);
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
