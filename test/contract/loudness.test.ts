import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LoudnessFacts, loudness, shownQuiet, whyQuiet } from '../../src/contract/loudness.ts';

const NOW_MS = Date.parse('2026-11-21T09:30Z');
const POSTED: LoudnessFacts = { kind: 'event', urgency: 'standard', collapseKey: null, alert: null, nowMs: NOW_MS };
const WINDOW = { untilMs: NOW_MS + 60_000, by: 'Ada', only: null };
/** Everything that may silence an event. */
const ALL = { windows: [WINDOW], ringAfterS: 30, isQuietTime: true, isOverRings: true } as const;

function reason(facts: Partial<LoudnessFacts>): string | undefined {
  return loudness({ ...POSTED, ...facts })?.reason;
}

test('the first reason that applies is given', () => {
  const opened = { ...ALL, urgency: 'time_sensitive', alert: 'opened' } as const;
  assert.is(reason({ ...ALL, kind: 'notice' }), 'notice');
  assert.is(reason({ ...ALL, alert: 'resolved' }), 'notice');
  assert.is(reason({ ...ALL, alert: 'acknowledged' }), 'acknowledged');
  assert.is(reason(opened), 'maintenance');
  assert.is(reason({ ...opened, windows: [] }), 'ring_after');
  assert.is(reason({ ...ALL, windows: [] }), 'quiet_hours');
  assert.is(reason({ isOverRings: true }), 'storm');
  assert.is(reason({ ...opened, windows: [], ringAfterS: 0 }), 'storm');
});

test('quiet hours and storms leave urgent events alone, and a storm only the first push of an alert', () => {
  const urgent = { ...ALL, urgency: 'time_sensitive', windows: [] } as const;
  assert.is(reason(urgent), undefined);
  assert.is(reason({ ...urgent, alert: 'open' }), undefined);
  assert.is(reason({ ...urgent, alert: 'waiting' }), 'ring_after');
  assert.is(reason({}), undefined);
});

test('a reminder rings at all times but in maintenance, and one for a person always', () => {
  const reminder = { ...ALL, kind: 'reminder', urgency: 'time_sensitive' } as const;
  assert.is(reason(reminder), 'maintenance');
  assert.is(reason({ ...reminder, windows: [] }), undefined);
  assert.is(reason({ ...reminder, kind: 'assignment' }), undefined);
});

test('a window of some collapse keys silences no other, and the window that ends last is shown', () => {
  const later = { untilMs: NOW_MS + 120_000, by: null, only: 'db-*' };
  const under = (collapseKey: string | null, only: string) =>
    reason({ collapseKey, windows: [{ ...WINDOW, only }] }) !== undefined;
  assert.equal([under('db-1', 'db-*'), under('web-1', 'db-*'), under(null, 'db-*')], [true, false, false]);
  assert.equal(
    [under('db-1', 'db-1'), under('db-12', 'db-1'), under('\u0001heartbeat', 'heart*')],
    [true, false, true],
  );
  assert.equal(loudness({ ...POSTED, collapseKey: 'db-1', windows: [WINDOW, later, WINDOW] }), {
    reason: 'maintenance',
    untilMs: later.untilMs,
  });
});

test('a decision is said in words, with its end and who caused it', () => {
  const quiet = loudness({ ...POSTED, windows: [WINDOW] });
  const shown = shownQuiet(quiet && JSON.stringify(quiet));
  assert.equal(shown, { reason: 'maintenance', until: '2026-11-21T09:31:00.000+00:00', by: 'Ada' });
  assert.is(shown && whyQuiet(shown, (at) => at.slice(11, 16)), 'maintenance until 09:31, by Ada');
  assert.is(shownQuiet(null), null);
  assert.is(whyQuiet({ reason: 'storm' }, String), 'the channel had rung as often as it may');
});

test.run();
