import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { INITIAL_CONTROLS, type KeyPress, press } from '../../../src/cli/tail/live.tsx';

function after(...keys: readonly KeyPress[]) {
  return keys.reduce(press, INITIAL_CONTROLS);
}

test('q ends it, p and the space bar pause and go on', () => {
  assert.is(after({ text: 'q' }).isOver, true);
  assert.is(after({ text: 'p' }).isPaused, true);
  assert.is(after({ text: 'p' }, { text: ' ' }).isPaused, false);
  assert.equal(after({ text: 'x' }), INITIAL_CONTROLS);
});

test('Behind f every key is text, until Enter keeps or Escape clears the filter', () => {
  assert.equal(after({ text: 'f' }, { text: 'q' }, { text: 'p' }), {
    ...INITIAL_CONTROLS,
    isTyping: true,
    filter: 'qp',
  });
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'return' }), { ...INITIAL_CONTROLS, filter: 'q' });
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'escape' }), INITIAL_CONTROLS);
  assert.is(after({ text: '/' }, { text: 'ab' }, { key: 'backspace' }).filter, 'a');
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'return' }, { key: 'escape' }), INITIAL_CONTROLS);
});

test('Keys that come in one piece count one by one', () => {
  assert.equal(after({ text: 'fbad\rp' }), { ...INITIAL_CONTROLS, filter: 'bad', isPaused: true });
});

test.run();
