// What every error answer must be: exactly `{error}`, a sentence, with a stable code and a request id, and nothing from inside.
import assert from 'node:assert/strict';

export type ErrorAnswer = { status: number; headers: Pick<Headers, 'get'>; body: unknown };

const insides = /\/(tmp|home|root|src)\/|node_modules|sqlite|\bat .+:\d+:\d+|ENOENT|\bundefined\b|\[object/i;

export function assertError(
  answer: ErrorAnswer,
  status: number,
  expected: { message?: string | RegExp; code?: string } = {},
): void {
  const { message, code } = expected;
  assert.equal(answer.status, status, `status of ${JSON.stringify(answer.body)}`);
  assertErrorShape(answer);
  const { error } = answer.body as { error: string };
  if (typeof message === 'string') assert.equal(error, message);
  else if (message) assert.match(error, message);
  if (code) assert.equal(answer.headers.get('x-error-code'), code);
}

export function assertErrorShape({ headers, body, status }: ErrorAnswer): void {
  assert.ok(status >= 400, `${status} is no error`);
  assert.ok(body !== null && typeof body === 'object', `no JSON object: ${JSON.stringify(body)}`);
  assert.deepEqual(Object.keys(body), ['error']);
  const { error } = body as { error: unknown };
  assert.ok(
    typeof error === 'string' && error.length >= 10 && error.length < 500,
    `no sentence: ${String(error)}`,
  );
  // A sentence may quote what the client sent.
  const ours = error.replace(/"(?:[^"\\]|\\.)*"|"[^"]*"/g, '""');
  assert.doesNotMatch(ours, insides);
  assert.ok(!ours.includes(process.cwd()), error);
  assert.match(headers.get('content-type') ?? '', /^application\/json\b/);
  assert.match(headers.get('x-error-code') ?? '', /^[a-z][a-z_]+$/);
  assert.match(headers.get('x-request-id') ?? '', /^req_[\w-]{8,}$/);
}
