import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wrapWords } from '../src/wrap-words.ts';

test('A text is broken between its words, and a word that is too long keeps a line', () => {
  assert.equal(wrapWords('its pushes wait: connect_failed', 16), ['its pushes wait:', 'connect_failed']);
  assert.equal(wrapWords('one incomprehensible two', 5), ['one', 'incomprehensible', 'two']);
});

test('Where there is no edge nothing is broken, nor is a space lost', () => {
  assert.equal(wrapWords('as it  stands', Number.POSITIVE_INFINITY), ['as it  stands']);
  assert.equal(wrapWords('', 10), ['']);
});

test.run();
