import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { AppError } from '../errors.ts';
import { compileSchema } from './validation.ts';

type Part = 'body' | 'querystring' | 'params';

function check(part: Part, schema: TSchema, data: unknown): { value?: unknown; error?: Error } {
  const validate = compileSchema({ schema, httpPart: part, method: 'POST', url: '/' });
  return validate(data) as { value?: unknown; error?: Error };
}

/** The sentence of the fault, or null when there is none. */
function fault(part: Part, schema: TSchema, data: unknown): string | null {
  const { error } = check(part, schema, data);
  if (!error) return null;
  assert.ok(error instanceof AppError);
  assert.equal(error.status, 400);
  return error.message;
}

const schema = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, 'x-error': 'Size must be 1 to 9' })),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    tags: Type.Optional(Type.Array(Type.String(), { 'x-error': 'Field "tags" must be an array of strings' })),
    deep: Type.Optional(Type.Object({ flag: Type.Boolean() })),
    choice: Type.Optional(
      Type.Union([Type.Literal('x'), Type.Literal('y')], { 'x-error': 'Choice must be "x" or "y"' }),
    ),
    code: Type.String({ default: 'none', 'x-error': 'Field "code" is needed' }),
  },
  { additionalProperties: false },
);

describe('validation', () => {
  test('a sentence says which part of the request is wrong and why', () => {
    for (const [part, data, sentence] of [
      ['body', { name: 'n' }, null],
      ['body', {}, 'Field "name" is required'],
      ['querystring', {}, 'Query parameter "name" is required'],
      ['params', {}, 'Path part "name" is required'],
      ['body', { name: 5 }, 'Field "name" must be string'],
      ['body', { name: '' }, 'Field "name" must NOT have fewer than 1 characters'],
      ['body', { name: 'n', other: 1 }, 'Field "other" is not known'],
      ['querystring', { name: 'n', other: '1' }, 'Query parameter "other" is not known'],
      ['body', { name: 'n', kind: 'c' }, 'Field "kind" must be equal to one of the allowed values: a, b'],
      ['body', { name: 'n', deep: {} }, 'Field "flag" is required'],
      ['body', { name: 'n', deep: { flag: 'x' } }, 'Field "deep.flag" must be boolean'],
      ['body', null, 'Send a JSON object as the body'],
      ['body', [], 'Send a JSON object as the body'],
      ['body', 'text', 'Send a JSON object as the body'],
    ] as const)
      assert.equal(fault(part, schema, data), sentence, JSON.stringify(data));
  });

  test('a sentence stated in the schema is used word for word', () => {
    for (const [data, sentence] of [
      [{ name: 'n', size: 0 }, 'Size must be 1 to 9'],
      [{ name: 'n', size: 'x' }, 'Size must be 1 to 9'],
      [{ name: 'n', tags: 'a' }, 'Field "tags" must be an array of strings'],
      [{ name: 'n', choice: 'z' }, 'Choice must be "x" or "y"'],
      [{ name: 'n', code: 5 }, 'Field "code" is needed'],
    ] as const)
      assert.equal(fault('body', schema, data), sentence);
    const required = Type.Object({ q: Type.String({ 'x-error': 'Query parameter "q" is required' }) });
    assert.equal(fault('querystring', required, {}), 'Query parameter "q" is required');
  });

  test('text is converted, JSON is taken as it is', () => {
    assert.deepEqual(check('querystring', schema, { name: 'n', size: '7', tags: 'a' }).value, {
      name: 'n',
      size: 7,
      tags: ['a'],
      code: 'none',
    });
    assert.equal(fault('body', schema, { name: 'n', size: '7' }), 'Size must be 1 to 9');
    assert.equal(
      fault('body', schema, { name: 'n', deep: { flag: 'true' } }),
      'Field "deep.flag" must be boolean',
    );
    assert.equal(fault('body', schema, { name: null }), 'Field "name" must be string');
    for (const wrong of ['', ' ', '1.5', 'one', '1,5', 'NaN', 'Infinity', ['1', '2']])
      assert.equal(
        fault('querystring', schema, { name: 'n', size: wrong }),
        'Size must be 1 to 9',
        String(wrong),
      );
  });

  test('a name from outside is short, printable and does not break out of the sentence', () => {
    const unit = fc.oneof(
      fc.constantFrom(...Array.from('ab "\'\\<>\n\u0000')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 100 }), (name) => {
        fc.pre(!(name in schema.properties) && name !== '__proto__');
        const sentence = fault(
          'body',
          schema,
          Object.fromEntries([
            ['name', 'n'],
            [name, 1],
          ]),
        );
        assert.match(sentence ?? '', /^Field "[\x20-\x21\x23-\x7e]{1,64}" is not known$/);
      }),
    );
  });
});
