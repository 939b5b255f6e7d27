import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergedInbox } from '../../../src/web/api/merged-inbox.ts';

test('A new event comes on top, and the earlier ones that were asked for stay', () => {
  assert.equal(ids(mergedInbox(page('dcba', 'a'), page('edc', 'c'))), ['e', 'd', 'c', 'b', 'a']);
});

test('The place where the list goes on is that of its end', () => {
  assert.is(mergedInbox(page('dcba', 'a'), page('edc', 'c')).next, 'a');
  assert.is(mergedInbox(page('dc', 'c'), page('edc', 'c')).next, 'c');
});

test('Where all of the newest page is new, the list begins anew, as some between would be missing', () => {
  assert.equal(ids(mergedInbox(page('cba', null), page('zyx', 'x'))), ['z', 'y', 'x']);
  assert.equal(ids(mergedInbox(null, page('ba', null))), ['b', 'a']);
});

test('What is older than an event that was read is read, in its workspace', () => {
  const before = page('dcba', null);
  const newest = { ...page('dc', 'c'), events: [event('d'), { ...event('c'), unread: false }] };
  const other = { ...event('0'), workspace: 'other' };
  const { events } = mergedInbox({ ...before, events: [...before.events, other] }, newest);
  assert.equal(
    events.map(({ unread }) => unread),
    [true, false, false, false, true],
  );
});

test.run();

interface TestEvent {
  readonly public_id: string;
  readonly workspace: string;
  readonly unread: boolean;
}

function event(id: string): TestEvent {
  return { public_id: id, workspace: 'acme', unread: true };
}

/** One event for each letter. */
function page(letters: string, next: string | null) {
  return { events: [...letters].map(event), next };
}

function ids({ events }: { readonly events: readonly TestEvent[] }): string[] {
  return events.map(({ public_id }) => public_id);
}
