import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FaultKind, ProviderFault } from '../ai-provider.ts';
import { readCaption } from './read-caption.ts';

const saying = (content: unknown, more: object = {}): unknown => ({
  choices: [{ message: { role: 'assistant', content, ...more } }],
});

describe('a caption', () => {
  test('is the plain text of the answer', () => {
    const cases: [unknown, string][] = [
      ['  Two boats.\n', 'Two boats.'],
      ['Two\nboats\tat sea', 'Two\nboats\tat sea'],
      ['Two\r\n boats\u0000\u0007\u001b[31m\u007f\u0085', 'Two\n boats[31m'],
      ['half \ud83d a smile', 'half \ufffd a smile'],
      ['a smile 😀', 'a smile 😀'],
      [
        [{ type: 'text', text: 'Two ' }, { type: 'other' }, null, { type: 'text', text: 'boats.' }],
        'Two boats.',
      ],
      ['<think>Hm.\n\nBoats?</think>\n\nTwo boats.', 'Two boats.'],
      ['<THINKING>Hm.</THINKING>Two boats.', 'Two boats.'],
      ['Hm, boats?</think>Two boats.', 'Two boats.'],
      ['<think>one</think><think>two</think>Two boats.', 'Two boats.'],
    ];
    for (const [content, expected] of cases)
      assert.equal(readCaption(saying(content)), expected, JSON.stringify(content));
    assert.equal(readCaption(saying('Two boats.', { refusal: null, reasoning_content: 'Hm' })), 'Two boats.');
    assert.equal(readCaption(saying('Two boats.', { refusal: '' })), 'Two boats.');
  });

  test('is cut at a word, or where there are none between characters', () => {
    assert.equal(readCaption(saying('x'.repeat(2000))).length, 2000);
    assert.equal(readCaption(saying(`${'x'.repeat(1990)} boat boats`)), `${'x'.repeat(1990)} boat`);
    assert.equal(readCaption(saying(`${'x'.repeat(1995)} boat boats`)), `${'x'.repeat(1995)} boat`);
    assert.equal(readCaption(saying(`${'x'.repeat(1996)} boat boats`)), 'x'.repeat(1996));
    assert.equal(readCaption(saying('x'.repeat(3000))).length, 2000);
    assert.equal(readCaption(saying(`x${'😀'.repeat(1500)}`)), `x${'😀'.repeat(999)}`);
  });

  test('that is missing is a fault of the picture, one of another shape of the answer', () => {
    const cases: [unknown, FaultKind][] = [
      [saying(''), 'picture'],
      [saying(' \n\u0000 '), 'picture'],
      [saying(null), 'picture'],
      [saying(undefined), 'picture'],
      [saying([]), 'picture'],
      [saying('<think>Hm, what may this'), 'picture'],
      [saying('<think>Hm</think>'), 'picture'],
      [saying('', { refusal: 'I cannot help with that.' }), 'picture'],
      [saying('Two boats.', { refusal: 'I cannot help with that.' }), 'picture'],
      [saying(7), 'answer'],
      [saying({ text: 'Two boats.' }), 'answer'],
      ...[null, 7, 'text', [], {}, { choices: null }, { choices: [] }, { choices: [{}] }].map(
        (answer): [unknown, FaultKind] => [answer, 'answer'],
      ),
      [{ choices: [{ message: 'Two boats.' }] }, 'answer'],
      [{ error: { message: 'Overloaded' } }, 'answer'],
    ];
    for (const [answer, kind] of cases) {
      assert.throws(
        () => readCaption(answer),
        (fault) => fault instanceof ProviderFault && fault.kind === kind,
        JSON.stringify(answer),
      );
    }
  });
});
