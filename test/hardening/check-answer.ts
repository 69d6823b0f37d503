// What every answer must be, whatever was asked: never an error of ours, and a refusal is a proper one.
import assert from 'node:assert/strict';
import { assertErrorShape } from '../support/assert-error.ts';

export type Answer = { status: number; header: (name: string) => string | undefined; text: string };

export function checkAnswer({ status, header, text }: Answer): void {
  assert.ok(status >= 200 && status <= 599, `status ${status}`);
  if (status < 400) return;
  assert.ok(status < 500, `${status} ${text.slice(0, 300)}`);
  const headers = { get: (name: string) => header(name) ?? null };
  assertErrorShape({ status, headers, body: JSON.parse(text) as unknown });
}
