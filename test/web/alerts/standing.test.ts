import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Act,
  type Facts,
  openedSince,
  openOnes,
  type Reader,
  standingOf,
  stepsOf,
  whyNot,
} from '../../../src/web/alerts/standing.ts';
import { Times } from '../../../src/web/format/time.ts';

const at = (clock: string, day = 22): string => `2026-11-${day}T${clock}:00.000+00:00`;
const NOW = Date.parse(at('03:05'));
const UTC = new Times('en-GB', 'UTC');

const OPEN: Facts = {
  state: 'open',
  opened_at: at('02:58'),
  stops_at: at('03:58'),
  reminders: 0,
  reminded_at: null,
  next_escalation: null,
  acknowledged_by: null,
  acknowledged_at: null,
  snoozed_until: null,
  snoozed_by: null,
  ended_at: null,
  ended_by: null,
  reopened_by: null,
  reopened_at: null,
  assigned_to: null,
  assigned_by: null,
  assigned_at: null,
  assigned_until: null,
  person_ids: {},
};
const TAKEN: Facts = {
  ...OPEN,
  ...{ state: 'acknowledged', stops_at: null, acknowledged_by: 'Grace', acknowledged_at: at('03:02') },
  person_ids: { acknowledged_by: 'usr_1' },
};

const GRACE: Reader = { id: 'usr_1', runs: false };

const says = (alert: Partial<Facts>, base = OPEN, own: string | null = null) =>
  standingOf({ ...base, ...alert }, NOW, own, UTC);

test('An open alert says since when, how often it has reminded, and which channel is next', () => {
  assert.is(says({}), 'Open since 02:58');
  assert.is(says({ opened_at: at('23:40', 21), reminders: 1 }), 'Open since yesterday, 23:40, reminded once');
  const next_escalation = { channel_name: 'On call', at: at('03:08') };
  assert.is(
    says({ reminders: 3, next_escalation }),
    'Open since 02:58, reminded 3 times; escalates to On call at 03:08',
  );
});

test('One that is taken says who has it, and when it opens again', () => {
  assert.is(says({}, TAKEN), 'With Grace since 03:02');
  const snoozed = says({ snoozed_until: at('03:32'), snoozed_by: 'Ada' }, TAKEN);
  assert.is(snoozed, 'With Grace since 03:02, snoozed by Ada, opens again at 03:32');
  assert.is(says({ acknowledged_by: 'آدا' }, TAKEN), 'With \u2068آدا\u2069 since 03:02');
});

test('An ended alert says who or what ended it', () => {
  const over = (ended_by: string, state: Facts['state'] = 'resolved') =>
    says({ state, ended_by, ended_at: at('03:20') }, TAKEN);
  assert.is(over('Grace'), 'Resolved by Grace, 03:20');
  assert.is(over('sender'), 'Resolved by its sender');
  assert.is(over('time'), 'Resolved: nothing new for eight hours');
  assert.is(over('channel'), 'Resolved: its channel no longer sends reminders');
  assert.is(over('time', 'expired'), 'Expired at 03:20: no one acknowledged it');
  assert.is(over('restored', 'expired'), 'Expired when the server was restored from a backup');
});

test('An impossible act on an alert says why', () => {
  const whysOf = (alert: Facts) =>
    (['take', 'snooze', 'resolve'] satisfies Act[]).map((act) => whyNot(act, alert, { id: 'usr_2', runs: false }, NOW));
  assert.equal(whysOf(OPEN), [null, null, null]);
  assert.equal(whysOf(TAKEN), ['Grace has this alert.', null, null]);
  assert.is(whyNot('take', TAKEN, GRACE, NOW), 'You have this alert.');
  for (const [state, why] of [
    ['resolved', 'This alert is resolved.'],
    ['expired', 'This alert has expired.'],
  ] as const)
    assert.equal(whysOf({ ...TAKEN, state }), [why, why, why]);
});

test('Each says of the one who reads "you", and no sender is anyone', () => {
  const person_ids = { acknowledged_by: 'usr_1', snoozed_by: 'usr_2', ended_by: 'usr_2' };
  const snoozed = { snoozed_until: at('03:32'), snoozed_by: 'Ada', person_ids };
  assert.is(says(snoozed, TAKEN, 'usr_1'), 'With you since 03:02, snoozed by Ada, opens again at 03:32');
  assert.is(says(snoozed, TAKEN, 'usr_2'), 'With Grace since 03:02, snoozed by you, opens again at 03:32');
  const ended = { state: 'resolved', ended_at: at('03:20'), person_ids } as const;
  assert.is(says({ ...ended, ended_by: 'Ada' }, TAKEN, 'usr_2'), 'Resolved by you, 03:20');
  const steps = (alert: Partial<Facts>, own: string) =>
    stepsOf({ ...TAKEN, ...ended, ...alert }, NOW, own).map(({ text }) => text);
  assert.equal(steps({ ended_by: 'Ada' }, 'usr_1'), ['Opened', 'You acknowledged it', 'Resolved by Ada']);
  const bySender = { ended_by: 'sender', person_ids: { acknowledged_by: 'usr_1' } };
  assert.equal(steps(bySender, 'usr_2'), ['Opened', 'Grace acknowledged it', 'Resolved by its sender']);
});

test('Another person with the name of the reader is not the reader', () => {
  assert.is(says({}, TAKEN, 'usr_9'), 'With Grace since 03:02');
  assert.is(whyNot('take', TAKEN, { id: 'usr_9', runs: false }, NOW), 'Grace has this alert.');
  const key = { acknowledged_by: 'Grace', person_ids: {} };
  assert.is(says(key, TAKEN, 'usr_1'), 'With Grace since 03:02', 'a key of that name');
});

test('An event of just now is not ahead, though the clock here is a second behind', () => {
  const taken = { ...TAKEN, acknowledged_at: new Date(NOW + 1_500).toISOString() };
  assert.equal(
    stepsOf(taken, NOW, null).filter(({ isAhead }) => isAhead),
    [],
  );
});

test('The owner of an alert, workspace owners and admins reassign it; it can be reopened until an hour after it was resolved', () => {
  const reassign = (alert: Facts, reader: Reader) => whyNot('reassign', alert, reader, NOW);
  const notTheirs = 'Only the person who has the alert, owners and admins can reassign it.';
  const bob: Reader = { id: 'usr_3', runs: false };
  assert.equal([reassign(OPEN, GRACE), reassign(TAKEN, GRACE), reassign(TAKEN, bob)], [notTheirs, null, notTheirs]);
  assert.equal(
    [OPEN, TAKEN].map((alert) => reassign(alert, { ...bob, runs: true })),
    [null, null],
  );
  const reopen = (alert: Partial<Facts>) => whyNot('reopen', { ...TAKEN, ...alert }, bob, NOW);
  assert.equal([reopen({}), reopen({ state: 'open' })], [null, 'This alert is open.']);
  assert.is(reopen({ state: 'resolved', ended_at: at('02:06') }), null);
  assert.is(reopen({ state: 'resolved', ended_at: at('02:05') }), 'This alert was resolved more than an hour ago.');
  assert.is(reopen({ state: 'expired', ended_at: at('03:04') }), 'This alert has expired.');
});

test('An alert that is open for one person alone says until when', () => {
  const assigned = { assigned_to: 'Bob', assigned_by: 'Grace', assigned_at: at('03:04'), assigned_until: at('03:06') };
  assert.is(says(assigned), 'Open since 02:58; reassigned to Bob, open for everyone at 03:06');
});

test('Past and coming steps stand in their order', () => {
  const next_escalation = { channel_name: 'On call', at: at('03:08') };
  const steps = (alert: Facts) => stepsOf(alert, NOW, null).map(({ text, isAhead }) => (isAhead ? `… ${text}` : text));
  assert.equal(steps({ ...OPEN, reminders: 3, reminded_at: at('03:04'), next_escalation }), [
    'Opened',
    'Reminder 3, the latest',
    '… Escalates to On call',
    '… Expires',
  ]);
  assert.equal(
    steps({ ...TAKEN, reminders: 1, reminded_at: at('03:00'), snoozed_until: at('03:32'), snoozed_by: 'Ada' }),
    ['Opened', 'First reminder', 'Grace acknowledged it', '… Opens again, snoozed by Ada'],
  );
  assert.equal(steps({ ...TAKEN, state: 'resolved', ended_at: at('03:03'), ended_by: 'Grace' }), [
    'Opened',
    'Grace acknowledged it',
    'Resolved by Grace',
  ]);
  assert.equal(
    steps({
      ...OPEN,
      reopened_by: 'Bob',
      reopened_at: at('03:04'),
      assigned_to: 'Ann',
      assigned_by: 'Bob',
      assigned_at: at('03:05'),
    }),
    ['Opened', 'Reopened by Bob', 'Reassigned to Ann by Bob', '… Expires'],
  );
});

const alert = (id: string, state = 'open') => ({ id, state, title: id });

test('An alert is new once, and again if it is reopened', () => {
  const before = [alert('b'), alert('a', 'acknowledged')];
  const known = new Set(openOnes(before).map(({ id }) => id));
  assert.equal([...known], ['b']);
  const after = [alert('c'), alert('b'), alert('a')];
  assert.equal(openedSince(known, after), [alert('c'), alert('a')]);
  assert.equal(openedSince(new Set(['a', 'b', 'c']), after), []);
});

test.run();
