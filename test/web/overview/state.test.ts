import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { times } from '../../../src/web/format/time.ts';
import { type Facts, stateOf } from '../../../src/web/overview/state.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00.000Z');
const WELL: Facts = {
  workspace: { name: 'Acme', status: 'active' },
  period: '24h',
  events: 1_284,
  accepted: 7_911,
  failed: 0,
  unregistered: 0,
  expired: 0,
  notShowing: 0,
  unreachable: 0,
  waiting: [],
  pausedRoutes: [],
  stopped: [],
  usage: { monthly_event_allowance: 10_000, used: 1_284, exhausted_at: null },
};
const PAUSED = {
  route: 'apns_production',
  kind: 'unauthorized',
  since: '2026-11-22T11:57:00.000Z',
  means: 'APNs does not accept the key.',
  remedy: 'Check key_id.',
} as const;

test('When all is well the overview says so, with the figures', () => {
  const { level, sentence } = state({});
  assert.is(level, 'success');
  assert.is(sentence, 'Everything works: 1,284 events, 7,911 pushes accepted in the last 24 hours.');
});

test('Devices that are not showing are a warning, after failed pushes', () => {
  const { level, sentence, see } = state({ notShowing: 2, unregistered: 1 });
  assert.equal([level, see], ['warning', 'notShowing']);
  assert.is(sentence, '2 devices accept pushes but no longer show them.');
  assert.is(state({ notShowing: 1 }).sentence, '1 device accepts pushes but no longer shows them.');
  assert.is(state({ notShowing: 2, failed: 1 }).see, 'failures');
});

test('A paused route comes before failed pushes, with what waits and what to do', () => {
  const waiting = [{ route: 'apns_production', pushes: 312 }] as const;
  const { level, sentence, advice } = state({ pausedRoutes: [PAUSED], waiting, failed: 4 });
  assert.is(level, 'warning');
  assert.is(
    sentence,
    `Apple (production) has been paused since ${times.clock(Date.parse(PAUSED.since))}. 312 pushes wait.`,
  );
  assert.match(advice, 'APNs does not accept the key. Check key_id.');
});

test('A route without credentials is no trouble while nothing waits for it', () => {
  const off = { ...PAUSED, kind: 'off' };
  assert.is(state({ pausedRoutes: [off] }).level, 'success');
  assert.is(state({ pausedRoutes: [off], waiting: [{ route: 'apns_production', pushes: 1 }] }).level, 'warning');
});

test('An allowance that is spent, or will be before the month ends, is shown', () => {
  const spent = { monthly_event_allowance: 10, used: 10, exhausted_at: null };
  assert.match(state({ usage: spent }).sentence, 'events are refused until Dec 1');
  const soon = { monthly_event_allowance: 10, used: 9, exhausted_at: new Date(2026, 10, 27, 12).toISOString() };
  assert.is(
    state({ usage: soon }).sentence,
    'At this rate the allowance for this month will be used up on Friday, November 27.',
  );
});

test('Failures, silence and a lack of devices each say the next step', () => {
  assert.is(state({ failed: 1 }).sentence, '1 push failed.');
  assert.match(state({ events: 0, accepted: 0 }).advice, 'issue an API key');
  assert.match(state({ events: 3, accepted: 0 }).advice, 'Invite members');
});

test('Expired pushes and gone devices are never called well, and lead to the page that shows them', () => {
  const gone = state({ unregistered: 950 });
  assert.equal([gone.level, gone.see], ['info', 'inactive']);
  assert.is(gone.sentence, '950 devices are no longer registered and did not get their pushes.');
  assert.is(state({ unregistered: 950, accepted: 10 }).level, 'warning');
  assert.is(state({ unregistered: 1, accepted: 0 }).level, 'warning');
  const lost = state({ failed: 3, expired: 1, unregistered: 1 });
  assert.equal([lost.level, lost.see], ['warning', 'failures']);
  assert.is(
    lost.sentence,
    '3 pushes failed. 1 push expired unsent. 1 device is no longer registered and did not get its push.',
  );
});

test('A suspended workspace comes before all else', () => {
  const suspended = { name: 'Acme', status: 'suspended' } as const;
  assert.match(state({ workspace: suspended, pausedRoutes: [PAUSED] }).sentence, 'Acme is suspended');
});

test('A server that takes no events, or sends nothing, is reported before a route that is paused', () => {
  const stopped = state({ stopped: ['deliveries'], pausedRoutes: [PAUSED] });
  assert.equal([stopped.level, stopped.sentence], ['error', 'Pushes are due, but none has been sent for a minute.']);
  assert.match(state({ stopped: ['events', 'deliveries'] }).sentence, 'accepts no events');
});

test.run();

function state(facts: Partial<Facts>) {
  return stateOf({ ...WELL, ...facts }, NOW_MS);
}
