import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergedInbox, withChosen, withMarks, withMore, withRest } from '../../../src/web/api/merged-lists.ts';

test('A new event comes on top, and the earlier ones that were asked for stay', () => {
  assert.equal(ids(mergedInbox(page('dcba', 'a'), page('edc', 'c'))), ['e', 'd', 'c', 'b', 'a']);
});

test('The list continues at the place of its end', () => {
  assert.is(mergedInbox(page('dcba', 'a'), page('edc', 'c')).next, 'a');
  assert.is(mergedInbox(page('dc', 'c'), page('edc', 'c')).next, 'c');
});

test('If all of the newest page is new, the list starts over, as some between would be missing', () => {
  assert.equal(ids(mergedInbox(page('cba', null), page('zyx', 'x'))), ['z', 'y', 'x']);
  assert.equal(ids(mergedInbox(null, page('ba', null))), ['b', 'a']);
});

test('Among unread events the chosen one stays at its place once it is read, and goes when another is chosen', () => {
  const shown = (before: string, now: string, chosen: string | undefined) =>
    withChosen(page(before, null), page(now, null), chosen).events.map((event) =>
      [event.public_id, event.unread].join(' '),
    );
  assert.equal(shown('dcba', 'dca', 'b'), ['d true', 'c true', 'b false', 'a true']);
  assert.equal(shown('dcba', 'dcb', 'a'), ['d true', 'c true', 'b true', 'a false']);
  assert.equal(shown('dcba', 'edcb', 'd'), ['e true', 'd true', 'c true', 'b true']);
  assert.equal(shown('dcba', '', 'c'), ['c false']);
  assert.equal(shown('dcba', 'ca', 'c'), ['c true', 'a true']);
  assert.equal(shown('dcba', 'ca', undefined), ['c true', 'a true']);
  const read = { events: [{ public_id: 'b', unread: false }, event('a')], next: null };
  assert.equal(ids(withChosen(page('ba', null), read, 'a')), ['a']);
});

test('An event that was loaded again unchanged stays the same object, so it is not drawn again', () => {
  const list = page('cba', null);
  const read = { ...event('b'), unread: false };
  const [d, c, b, a] = mergedInbox(list, { events: [event('d'), event('c'), read], next: 'b' }).events;
  assert.equal([d?.public_id, c === list.events[0], b, a === list.events[2]], ['d', true, read, true]);
  assert.is(mergedInbox(list, page('cba', null)).events[0], list.events[0]);
});

test('Each shown event is unread if the first page of the unread events says so, as far as that goes', () => {
  const list = page('gfedcba', 'a').events;
  const marks = (unread: string, next: string | null) =>
    withMarks(list, page(unread, next))
      .map((event) => (event.unread ? event.public_id : '-'))
      .join('');
  assert.is(marks('fd', null), '-f-d---');
  assert.is(marks('fd', 'd'), '-f-dcba');
  assert.is(marks('f0', '0'), '-f-----');
  assert.is(marks('', null), '-------');
  assert.is(marks('', 'd'), 'gfedcba');
});

test('An unchanged event stays the same object, so it is not drawn again', () => {
  const list = page('cba', null).events;
  const [c, b, a] = withMarks(list, page('ca', null));
  assert.equal([c === list[0], b === list[1], a === list[2]], [true, false, true]);
});

interface TestEvent {
  readonly public_id: string;
  readonly unread: boolean;
}

function event(id: string): TestEvent {
  return { public_id: id, unread: true };
}

/** One event for each letter. */
function page(letters: string, next: string | null) {
  return { events: [...letters].map(event), next };
}

function ids({ events }: { readonly events: readonly TestEvent[] }): string[] {
  return events.map(({ public_id }) => public_id);
}

test('A page of channels that comes after the lists were loaded again is put at their end', () => {
  const asked = [list('acme', 'ab', 'b'), list('globex', 'xy', null)];
  const pages = [list('acme', 'cd', 'd')];
  const again = [list('acme', 'ab', 'b'), list('globex', 'xyz', null)];
  assert.equal(withMore(again, asked, pages), [list('acme', 'abcd', 'd'), list('globex', 'xyz', null)]);
  const elsewhere = [list('acme', 'a', 'a'), list('globex', 'xy', null)];
  assert.equal(withMore(elsewhere, asked, pages), elsewhere);
});

test('A page of channels that comes while the lists are loaded again stays, behind any new channel', () => {
  const shown = [list('acme', 'bcde', 'e'), list('globex', 'xy', null)];
  const loaded = [list('acme', 'abc', 'c'), list('globex', 'xy', null)];
  assert.equal(withRest(loaded, shown), [list('acme', 'abcde', 'e'), list('globex', 'xy', null)]);
  assert.equal(withRest(loaded, null), loaded);
});

test('Channels that are new at the end of lists that were shown whole are not lost', () => {
  const loaded = [list('acme', 'abc', 'c')];
  assert.equal(withRest(loaded, [list('acme', 'abc', null)]), loaded);
});

function list(workspace: string, slugs: string, next: string | null) {
  return { workspace, channels: [...slugs].map((slug) => ({ slug })), next };
}

test.run();
