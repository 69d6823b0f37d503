// What an assistant is told when a call did not succeed: the service's own sentence, with what it can do about it.
import { ConnectionError, TintypeError } from '../../client/src/index.ts';
import { ToolFault } from './tool.ts';

/** Undefined for what is a fault of this program. */
export function faultSentence(error: unknown): string | undefined {
  if (error instanceof TintypeError) return refusalSentence(error);
  if (error instanceof ConnectionError)
    return `${error.message}. Ask the user whether it runs, and whether its address is right.`;
  if (error instanceof ToolFault) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? undefined : (error as Error).message;
}

function refusalSentence({ message, status, retryAfterSeconds }: TintypeError): string {
  if (status >= 300 && status < 400)
    return 'The service is reached by another address than the one that was set up; the user has to set the one it redirects to.';
  return retryAfterSeconds === null ? message : `${message}. Try again in ${retryAfterSeconds} seconds.`;
}
