// How a command reads what follows its name: every fault is a sentence, told together with where to find help.
import { OperatorError } from '../platform/errors.ts';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

export class UsageError extends OperatorError {}

/** Options every command has that a program may call. */
export const jsonOption = { json: { type: 'boolean', default: false } } as const;

/** `places` names the arguments that must stand without an option, in their order. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  places: readonly string[] = [],
) {
  const parsed = parseOrExplain(args, options);
  const { length } = parsed.positionals;
  if (length > places.length)
    throw new UsageError(`Unexpected argument "${parsed.positionals[places.length]}"`);
  if (length < places.length) throw new UsageError(`Missing argument <${places[length]}>`);
  return parsed;
}

function parseOrExplain<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true, allowNegative: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The command below a command, such as `create` of `account create`, and what follows it. */
export function readSubcommand<T>(args: string[], known: Record<string, T>): { chosen: T; rest: string[] } {
  const [name, ...rest] = args;
  const chosen = name !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
  if (chosen !== undefined) return { chosen, rest };
  const names = Object.keys(known).join(', ');
  throw new UsageError(name === undefined ? `Say which: ${names}` : `"${name}" is none of ${names}`);
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new UsageError(`--${option} is required`);
  return value;
}

export function wholeNumber(text: string, option: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new UsageError(`--${option} must be a whole number from ${least} to ${most}`);
  return value;
}
