// What one check of the doctor comes to: a fail stops the service or loses something, a warning may do so later.
import type { Config } from '../config.ts';

export type Finding = {
  state: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  advice?: string;
};

/** What it throws is a failure. */
export type Check = (config: Config) => Finding | Promise<Finding>;
