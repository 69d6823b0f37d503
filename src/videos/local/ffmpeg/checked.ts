// What FFmpeg answers, as errors: a film's own fault is told apart from everything else, which may be tried again.
import { FFmpegError } from 'node-av/lib';
import { undecodableSentence } from '../film-protocol.ts';

const noSpace = -28;

/** The film is to blame; the message is a sentence for its owner. */
export class UndecodableError extends Error {
  constructor(sentence = undecodableSentence, options?: ErrorOptions) {
    super(sentence, options);
  }
}

/** Of reading: whatever goes wrong is the film's fault. */
export function checkedInput(code: number, what: string): number {
  if (code < 0) throw new UndecodableError(undefined, { cause: described(code, what) });
  return code;
}

/** Of writing, and of our own pipeline. */
export function checked(code: number, what: string): number {
  if (code < 0) throw described(code, what);
  return code;
}

function described(code: number, what: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${what}: ${FFmpegError.strerror(code)}`);
  if (code === noSpace) error.code = 'ENOSPC';
  return error;
}
