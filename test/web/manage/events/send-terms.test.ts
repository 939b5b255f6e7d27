import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postedEventOf } from '../../../../src/web/manage/events/send-terms.ts';

test('What was left empty is not in the event that is sent, and a life is a number', () => {
  const form = new FormData();
  const fields = { channel: 'alerts', title: ' Disk full ', description: '', level: 'error', expires_in: '300' };
  for (const [name, value] of Object.entries({ ...fields, delivery_urgency: 'standard' })) form.set(name, value);
  assert.equal(postedEventOf(form), {
    channel: 'alerts',
    title: 'Disk full',
    level: 'error',
    delivery_urgency: 'standard',
    expires_in: 300,
  });
});

test.run();
