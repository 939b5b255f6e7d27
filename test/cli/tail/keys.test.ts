import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AT_FIRST, type KeyPress, press } from '../../../src/cli/tail/keys.ts';

function after(...keys: readonly KeyPress[]) {
  return keys.reduce(press, AT_FIRST);
}

test('q ends it, p and the space bar pause and go on', () => {
  assert.is(after({ text: 'q' }).isOver, true);
  assert.is(after({ text: 'p' }).isPaused, true);
  assert.is(after({ text: 'p' }, { text: ' ' }).isPaused, false);
  assert.equal(after({ text: 'x' }), AT_FIRST);
});

test('Behind f every key is text, until Enter keeps or Escape clears the filter', () => {
  assert.equal(after({ text: 'f' }, { text: 'q' }, { text: 'p' }), { ...AT_FIRST, isTyping: true, filter: 'qp' });
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'return' }), { ...AT_FIRST, filter: 'q' });
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'escape' }), AT_FIRST);
  assert.is(after({ text: '/' }, { text: 'ab' }, { key: 'backspace' }).filter, 'a');
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'return' }, { key: 'escape' }), AT_FIRST);
});

test('Keys that come in one piece count one by one', () => {
  assert.equal(after({ text: 'fbad\rp' }), { ...AT_FIRST, filter: 'bad', isPaused: true });
});

test.run();
