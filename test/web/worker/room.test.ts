import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { givingWay } from '../../../src/web/worker/room.ts';
import { startWorker } from './start-worker.ts';

const QUIET = { silent: true };
const STANDARD = { data: { delivery_urgency: 'standard' } };
const URGENT = { data: { delivery_urgency: 'time_sensitive' } };
const ALERT = { data: { delivery_urgency: 'time_sensitive', alert_state: 'open' } };
type Kind = { readonly silent?: boolean; readonly data?: object };

/** Notifications of a kind, the newest first; their tags say how old they are: `a-1` is the oldest. */
function many(count: number, { silent = false, data }: Kind, name = 'a') {
  return Array.from({ length: count }, (_, at) => {
    const age = String(count - at).padStart(2, '0');
    return { tag: `${name}-${count - at}`, silent, data: { ...data, received_at: `2026-11-29T00:00:${age}` } };
  });
}
const tagsFor = (next: Kind, shown: ReturnType<typeof many>) =>
  givingWay({ tag: 'next', ...next }, shown).map(({ tag }) => tag);

test('The oldest of the lowest rank gives way to what is more than twenty', () => {
  assert.equal(tagsFor(STANDARD, many(19, STANDARD)), []);
  assert.equal(tagsFor(STANDARD, many(20, STANDARD)), ['a-1']);
  const mixed = [...many(10, URGENT, 'urgent'), ...many(10, STANDARD, 'standard'), ...many(2, QUIET, 'quiet')];
  assert.equal(tagsFor(ALERT, mixed), ['quiet-1', 'quiet-2', 'standard-1']);
});

test('A notification of a higher rank stays, and so does the one that the next replaces', () => {
  assert.equal(tagsFor(STANDARD, many(20, URGENT)), []);
  assert.equal(tagsFor(QUIET, many(20, STANDARD)), []);
  const [first, ...others] = many(20, STANDARD);
  assert.equal(givingWay({ ...STANDARD, tag: String(first?.tag) }, [...others, ...(first ? [first] : [])]), []);
});

test('An open alert gives way to no other event, and to another open alert only beyond forty', () => {
  for (const next of [QUIET, STANDARD, URGENT]) assert.equal(tagsFor(next, many(45, ALERT)), []);
  assert.equal(tagsFor(ALERT, many(39, ALERT)), []);
  assert.equal(tagsFor(ALERT, many(40, ALERT)), ['a-1']);
  const late = { silent: true, data: ALERT.data };
  assert.equal(tagsFor(URGENT, many(20, late)), ['a-1'], 'the server has said that this one has ended');
});

test('The open alert at the end of a burst is shown, although Android shows no more than fifty', async () => {
  const { push, shown } = startWorker({ most: 50 });
  const pushOf = (tag: string, { data }: Kind) => push({ notification: { title: tag, tag, silent: false, data } });
  const events = Array.from({ length: 84 }, (_, at) => pushOf(`event ${at}`, STANDARD));
  await Promise.all([...events, pushOf('alert', ALERT)]);
  assert.equal([shown.length, shown.at(-1)?.tag, shown[0]?.tag], [20, 'alert', 'event 65']);
});

test.run();
