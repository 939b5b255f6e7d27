import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { insistWords } from '../../../../src/web/manage/channels/insist-words.ts';

test('How a channel insists is said in sentences', () => {
  const said = (insist: Parameters<typeof insistWords>[0]) => insistWords(insist, (slug) => slug.toUpperCase());
  assert.is(
    said({ repeat: 120, until: 3_600 }),
    'Reminders come 2 minutes apart until someone takes the alert, for no longer than 1 hour.',
  );
  assert.is(
    said({ repeat: 90, until: 5_400, escalate: { after: 600, channel: 'leads' } }),
    'Reminders come 90 seconds apart until someone takes the alert, for no longer than 90 minutes. After 10 minutes they go to LEADS as well.',
  );
});

test.run();
