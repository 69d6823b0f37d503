// docs/api.md has every operation of the API, each with a command that is run, an answer where there is one, and the client's call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../scripts/openapi-document.ts';
import { readText } from '../../scripts/docs/pages.ts';
import { examplesIn } from '../support/doc-examples.ts';

/** The client has one call for all of an upload, and one for both questions about health. */
const partOfAnotherCall = new Set([
  'PATCH /upload/resumable/{upload_id}',
  'GET /upload/resumable/{upload_id}',
  'GET /health/live',
]);

function sectionsOf(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^### /m);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')), part.split(/^## /m, 1)[0] as string]),
  );
}

const sections = sectionsOf(readText('docs/api.md'));
const { paths } = (await openApiDocument()) as { paths: Record<string, Record<string, unknown>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .filter((method) => ['get', 'post', 'patch', 'delete', 'put'].includes(method))
    .map((method) => `${method.toUpperCase()} ${path}`),
);

test('every operation has its part of the page, and there are no others', () => {
  const described = [...sections.keys()].filter((heading) => /^[A-Z]+ \//.test(heading));
  assert.deepEqual(described.toSorted(), operations.toSorted());
});

for (const operation of operations)
  test(`${operation} has a command that is run, and a call of the client`, () => {
    const examples = examplesIn(sections.get(operation) ?? '');
    assert.ok(examples.some(({ language, fate }) => language === 'sh' && fate.kind === 'run'));
    if (!partOfAnotherCall.has(operation)) assert.ok(examples.some(({ language }) => language === 'ts'));
  });
