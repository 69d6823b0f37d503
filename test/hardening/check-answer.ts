// What every answer must be, whatever was asked: never an error of ours, and a refusal is a proper one.
import assert from 'node:assert/strict';
import { assertErrorShape } from '../support/assert-error.ts';

export type Answer = { status: number; header: (name: string) => string | undefined; text: string };

const searchPath = /^\/(v1\/)?get\/search\b/;

export function checkAnswer({ status, header, text }: Answer, path: string): void {
  assert.ok(status >= 200 && status <= 599, `status ${status}`);
  if (status < 400) return;
  const isPlanned = status < 500 || (status === 501 && searchPath.test(path));
  assert.ok(isPlanned, `${status} ${text.slice(0, 300)}`);
  const headers = { get: (name: string) => header(name) ?? null };
  assertErrorShape({ status, headers, body: JSON.parse(text) as unknown });
}
