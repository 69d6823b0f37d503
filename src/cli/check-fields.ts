// Checks what was given as options by the schema of the API's body, so that both refuse the same in nearly the same words.
import type { Static, TSchema } from 'typebox';
import { compileSchema } from '../platform/http/validation.ts';
import { UsageError } from './arguments.ts';

/** `optionOf` names the option behind a field that is not called alike. */
export function checkFields<Schema extends TSchema>(
  schema: Schema,
  fields: Record<string, unknown>,
  optionOf: Readonly<Record<string, string>> = {},
): Static<Schema> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const checked = compileSchema({ schema, httpPart: 'body', method: '', url: '' })(given) as {
    error?: Error;
  };
  if (!checked.error) return given as Static<Schema>;
  const sentence = checked.error.message.replace(
    /Field "(\w+)[^"]*"/,
    (_, field: string) => `--${optionOf[field] ?? field.replaceAll('_', '-')}`,
  );
  throw new UsageError(sentence.replace('or null', 'or none'));
}

/** A number, null for `none`; what is neither becomes NaN, which the schema refuses. */
export function numberOrNone(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  return text.trim() === '' ? Number.NaN : Number(text);
}
