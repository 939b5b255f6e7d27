import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postedEventOf } from '../../../../src/web/manage/terms.ts';

test('Empty fields are not in the event that is sent, a life is a number, and a time has an offset', () => {
  const form = new FormData();
  const fields = {
    channel: 'alerts',
    title: ' Disk full ',
    description: '',
    level: 'error',
    expires_in: '300',
    send_at: '2026-12-01T09:30',
  };
  for (const [name, value] of Object.entries({ ...fields, delivery_urgency: 'standard', url: '' }))
    form.set(name, value);
  assert.equal(postedEventOf(form, 'Europe/Berlin'), {
    channel: 'alerts',
    title: 'Disk full',
    level: 'error',
    delivery_urgency: 'standard',
    expires_in: 300,
    send_at: '2026-12-01T08:30:00.000Z',
  });
});

test.run();
