import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describePush } from '../../../src/cli/output/describe-push.ts';
import type { Push } from '../../../src/sandbox/journal.ts';

const test = suite('cli: pushes in words');

const ENDPOINT = 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm0123456789ab';
const push = { number: 1, endpoint: 'webpush_mozilla', token: ENDPOINT, headers: {}, receivedAtMs: 0, messageId: 'm' };

test("A browser's push is shown with its event and the distinctive end of its address", () => {
  const payload = { notification: { title: 'Disk full', body: '2 GB left', data: { event_id: 'evt_1' } } };
  const line = describePush({ ...push, payload } as Push);
  assert.match(line, /took evt_1 for 0123456789ab… {2}Disk full: 2 GB left$/);
});

test('Nothing more is shown of a text that only a browser can decrypt', () => {
  const line = describePush({ ...push, payload: {}, isSealed: true } as Push);
  assert.match(line, /took a push that only the browser can read$/);
});

test.run();
