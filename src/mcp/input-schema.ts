// The schema of a tool's input as the SDK wants it, checked as the API checks bodies: faults are the same sentences.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { TSchema } from 'typebox';
import { compileSchema } from '../platform/http/validation.ts';

export function inputSchema(schema: TSchema): StandardSchemaWithJSON {
  const check = compileSchema({ schema, httpPart: 'body', method: '', url: '' });
  const asJson = (): Record<string, unknown> => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'tintype',
      validate: (value) => {
        const { error } = check(value) as { error?: Error };
        return error ? { issues: [{ message: error.message }] } : { value };
      },
      jsonSchema: { input: asJson, output: asJson },
    },
  };
}
