import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLog, type Log } from './log.ts';

const canaries = [
  'tt_0123456789abcdefCANARYabcdef',
  'Bearer CANARY-operator-key-0123456789',
  'bearer CANARY/+=.~',
  'whsec_CANARY0123456789abcdefghij+/=',
  'ttsign_CANARY0123456789_-abc',
  'sk-proj-CANARY0123456789',
];

function logged(write: (log: Log) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog('trace', { write: (line) => void lines.push(line) }));
  assert.ok(lines.length > 0, 'nothing was logged');
  for (const line of lines) assert.ok(!line.includes('CANARY'), line);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the log', () => {
  test('one JSON line with level, time and message', () => {
    const [line] = logged((log) => log.info({ removed: 3 }, 'removed files'));
    assert.deepEqual(Object.keys(line ?? {}), ['level', 'time', 'removed', 'msg']);
    assert.ok(Math.abs(Date.parse(line?.['time'] as string) - Date.now()) < 5000);
  });

  test('fields that hold secrets are not shown, at the top or nested', () => {
    for (const field of [
      'authorization',
      'api_key',
      'openai_api_key',
      'secret',
      'webhook_secret',
      'signing_secret',
      'cookie',
    ]) {
      const value = 'CANARY without any shape';
      const [line] = logged((log) =>
        log.info(
          { [field]: value, account: { [field]: value }, request: { headers: { [field]: value } } },
          'x',
        ),
      );
      assert.equal(line?.[field], '[redacted]');
    }
  });

  test('a secret is recognised by its shape in any text: fields, lists, messages', () => {
    for (const canary of canaries) {
      const [line] = logged((log) =>
        log.info({ path: `/x?${canary}`, deep: { er: { and: { deeper: [canary] } } } }, `got ${canary} here`),
      );
      assert.match(line?.['msg'] as string, /^got \[redacted\]/);
      logged((log) => log.child({ key: canary }).warn('of a child'));
      logged((log) => log.info('%s and %j', canary, { canary }));
    }
  });

  test('and in errors: message, stack, code, cause, however they are logged', () => {
    for (const canary of canaries) {
      const cause = new Error(`cause ${canary}`);
      const error = Object.assign(new Error(`refused "${canary}"`, { cause }), { header: canary });
      const [named, bare, several] = logged((log) => {
        log.error({ err: error }, 'request failed');
        log.error(error);
        log.error({ err: new AggregateError([error, cause], canary) }, 'several');
      });
      for (const line of [named, bare, several]) {
        const err = line?.['err'] as { message: string; stack: string };
        assert.match(err.message, /\[redacted\]/);
        assert.match(err.stack, /log\.test\.ts/, 'the stack is of use');
      }
    }
  });

  test('a secret at the end of a text takes nothing of the line with it', () => {
    const [line] = logged((log) =>
      log.error({ err: new Error('sent Authorization: Bearer CANARY'), kept: 'k' }, 'Bearer CANARY'),
    );
    assert.equal(line?.['kept'], 'k');
    assert.equal((line?.['err'] as Error | undefined)?.message, 'sent Authorization: [redacted]');
    assert.equal(line?.['msg'], '[redacted]');
  });

  test('every line is JSON, whatever stands around a secret', () => {
    const around = fc.string({
      unit: fc.constantFrom(...Array.from('ab "\'\\/{}[]:,\n\t\u0000\u2028é😀')),
      maxLength: 12,
    });
    const edges = fc.constantFrom(...Array.from(' "\'\\/{[:,\n\t\r\b\f\u0001\u001fé'));
    fc.assert(
      fc.property(around, edges, fc.constantFrom(...canaries), around, (before, edge, canary, after) => {
        // Not a letter, which would make it part of another word.
        const text = `${before}${edge}${canary} ${after}`;
        const [line] = logged((log) =>
          log.error({ err: new Error(text), text, list: [text, { text }] }, text),
        );
        assert.ok(String(line?.['text']).endsWith(` ${after}`));
      }),
      { numRuns: 300 },
    );
  });

  test('what only looks a little like a secret stays', () => {
    const text = 'task-listing-for-all risk-averseness attempt tt_short forbearance whsec ttsign';
    const [line] = logged((log) => log.info({ text }, text));
    assert.deepEqual([line?.['text'], line?.['msg']], [text, text]);
  });
});
