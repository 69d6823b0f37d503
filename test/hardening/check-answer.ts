// What every answer must be, whatever was asked: never an error of ours, and a refusal is exactly `{error}`, a sentence,
// with a stable code and nothing from inside.
import assert from 'node:assert/strict';

export type Answer = { status: number; header: (name: string) => string | undefined; text: string };

const insides =
  /\/(tmp|work|home|root|src)\/|node_modules|sqlite|\bat .+:\d+:\d+|ENOENT|\bundefined\b|\[object/i;
const searchPath = /^\/(v1\/)?get\/search\b/;

export function checkAnswer({ status, header, text }: Answer, path: string): void {
  assert.ok(status >= 200 && status <= 599, `status ${status}`);
  if (status < 400) return;
  const isPlanned = status < 500 || (status === 501 && searchPath.test(path));
  assert.ok(isPlanned, `${status} ${text.slice(0, 300)}`);
  assert.match(header('content-type') ?? '', /^application\/json\b/);
  assert.match(header('x-error-code') ?? '', /^[a-z][a-z_]+$/, 'X-Error-Code');
  assert.match(header('x-request-id') ?? '', /^req_[\w-]{8,}$/, 'X-Request-Id');
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['error']);
  const { error } = body;
  assert.ok(typeof error === 'string' && error.length >= 10 && error.length < 500, `no sentence: ${text}`);
  // A sentence may quote what the client sent.
  assert.doesNotMatch(error.replace(/"(?:[^"\\]|\\.)*"|"[^"]*"/g, '""'), insides);
}
