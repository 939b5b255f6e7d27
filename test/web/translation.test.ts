import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filled } from '../../src/web/translation.ts';

test('A text that a language has not is the English one, also within a group', () => {
  const english = { title: 'Alerts', steps: { opened: 'Opened', expired: 'Expired' }, lives: ['An hour', 'A day'] };
  const german = { steps: { opened: 'Geöffnet' }, lives: ['Eine Stunde'] };
  assert.equal(filled(german, english), {
    title: 'Alerts',
    steps: { opened: 'Geöffnet', expired: 'Expired' },
    lives: ['Eine Stunde'],
  });
  assert.is(filled(undefined, 'Alerts'), 'Alerts');
});

test.run();
