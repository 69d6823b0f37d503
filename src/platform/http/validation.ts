// Checks requests against their schemas. Only what travels as text (query, path) is converted; a JSON body is taken as
// it is, so that {"tags": "a"} is a fault and not a list. A schema may carry the exact sentence of its fault: `x-error`.
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler, FastifyError } from 'fastify';
import type { TSchema } from 'typebox';
import { AppError } from '../errors.ts';

const common = {
  allErrors: false,
  useDefaults: true,
  removeAdditional: false,
  strict: false,
  verbose: true,
} as const;
const asText = new Ajv({ ...common, coerceTypes: 'array' });
const asJson = new Ajv({ ...common, coerceTypes: false });

export const compileSchema: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validate = (httpPart === 'body' ? asJson : asText).compile(schema);
  return Object.assign(
    (data: unknown) =>
      validate(data) ? { value: data } : { error: toValidationError(validate.errors ?? [], httpPart) },
    { errors: null },
  );
};

function toValidationError(errors: ErrorObject[], part: string | undefined): FastifyError {
  // Of a choice the faults of its branches come first; the sentence is stated with the choice itself.
  const telling = errors.find(statedSentence) ?? errors[0];
  const sentence = telling ? describe(telling, part ?? 'body') : 'The request is not valid';
  return new AppError('bad_request', sentence) as unknown as FastifyError;
}

function describe(error: ErrorObject, part: string): string {
  const stated = statedSentence(error);
  if (stated) return stated;
  const what = part === 'querystring' ? 'Query parameter' : part === 'params' ? 'Path part' : 'Field';
  const missing = (error.params as { missingProperty?: string }).missingProperty;
  if (missing) {
    const property = (error.parentSchema as { properties?: Record<string, { 'x-error'?: string }> })
      .properties?.[missing];
    return property?.['x-error'] ?? `${what} "${missing}" is required`;
  }
  const unknown = (error.params as { additionalProperty?: string }).additionalProperty;
  if (unknown !== undefined) return `${what} "${printable(unknown)}" is not known`;
  const field = error.instancePath.split('/').slice(1).join('.');
  if (!field) return part === 'body' ? 'Send a JSON object as the body' : 'The request is not valid';
  return `${what} "${printable(field)}" ${error.message ?? 'is not valid'}${choices(error)}`;
}

function statedSentence(error: ErrorObject): string | undefined {
  return (error.parentSchema as { 'x-error'?: string } | undefined)?.['x-error'];
}

function choices(error: ErrorObject): string {
  const allowed = (error.params as { allowedValues?: unknown[] }).allowedValues;
  return allowed ? `: ${allowed.join(', ')}` : '';
}

/** A name from outside is quoted in a sentence: short, and without what could break out of it. */
function printable(name: string): string {
  return name.replace(/[^\x20\x21\x23-\x7e]/g, '?').slice(0, 64);
}
