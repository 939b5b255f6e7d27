import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reminderWords } from '../../../../src/web/manage/channels/reminder-terms.ts';

test('The reminders of a channel are described in sentences', () => {
  const words = (insist: Parameters<typeof reminderWords>[0]) => reminderWords(insist, (slug) => slug.toUpperCase());
  assert.is(
    words({ repeat: 120, until: 3_600, ring_after: 0 }),
    'Every 2 minutes until someone acknowledges the alert, for at most 1 hour.',
  );
  assert.is(
    words({ repeat: 90, until: 5_400, ring_after: 0, escalate: { after: 600, channel: 'leads' } }),
    'Every 90 seconds until someone acknowledges the alert, for at most 90 minutes. After 10 minutes, LEADS is alerted as well.',
  );
});

test.run();
