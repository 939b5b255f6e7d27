import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changesOf, keyTermsOf, postedEventOf, stateAt, windowOf } from '../../../src/web/manage/terms.ts';

const ZONE = 'Europe/Berlin';
const WINDOW = {
  id: 'mnt_7m3q0f9t2xkd4w6z',
  channel: 'ops',
  channel_name: 'Operations',
  state: 'planned',
  from: '2026-12-01T08:30:12.345+00:00',
  until: '2026-12-01T10:30:12.345+00:00',
  only: 'db-*',
  note: 'Upgrade',
  cron: null,
  for: null,
  timezone: null,
  by: 'Ada',
  created_at: '2026-11-21T09:30:00.123+00:00',
} as const;

function formOf(fields: Readonly<Record<string, string | readonly string[]>>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
  return form;
}

test('a window that starts now has a length or an end, and no empty text', () => {
  assert.equal(windowOf(formOf({ for: '7200', note: ' Upgrade ', only: '' }), ZONE), { for: 7_200, note: 'Upgrade' });
  assert.equal(windowOf(formOf({ for: '', until: '2026-12-01T09:30', note: '', only: '' }), ZONE), {
    until: '2026-12-01T08:30:00.000Z',
  });
});

test('a planned window starts at a time of the wall clock', () => {
  const fields = { from: '2026-12-01T09:30', for: '3600', note: '', only: 'db-*' };
  assert.equal(windowOf(formOf(fields), ZONE), { from: '2026-12-01T08:30:00.000Z', for: 3_600, only: 'db-*' });
});

test('a window that recurs has a schedule, a time zone and a length', () => {
  const fields = { cron: ' 0 3 * * 0 ', timezone: ZONE, for: '1800', note: '', only: '' };
  assert.equal(windowOf(formOf(fields), ZONE), { cron: '0 3 * * 0', timezone: ZONE, for: 1_800 });
});

test('only changed fields are sent, and a start never without its end', () => {
  const same = { from: '2026-12-01T09:30', until: '2026-12-01T11:30', note: 'Upgrade', only: 'db-*' };
  assert.equal(changesOf(formOf(same), WINDOW, ZONE), {});
  assert.equal(changesOf(formOf({ ...same, from: '2026-12-01T09:00' }), WINDOW, ZONE), {
    from: '2026-12-01T08:00:00.000Z',
    until: '2026-12-01T10:30:00.000Z',
  });
  assert.equal(changesOf(formOf({ ...same, note: '', only: 'web' }), WINDOW, ZONE), { only: 'web', note: null });
});

test('a window that is on keeps its start and its keys, and an occurrence its end', () => {
  const on = { ...WINDOW, state: 'on', cron: '0 3 * * 0', timezone: ZONE, for: 7_200 } as const;
  const fields = { until: '2026-12-01T11:30', cron: '0 3 * * 0', timezone: ZONE, for: '7200', note: 'Upgrade' };
  assert.equal(changesOf(formOf(fields), on, ZONE), {});
  assert.equal(changesOf(formOf({ ...fields, until: '2026-12-01T12:00' }), on, ZONE), {
    until: '2026-12-01T11:00:00.000Z',
  });
  assert.equal(changesOf(formOf({ ...fields, cron: '0 4 * * 0', for: '3600', timezone: 'UTC' }), on, ZONE), {
    for: 3_600,
    cron: '0 4 * * 0',
    timezone: 'UTC',
  });
});

test('a planned window is on from its start, and over from its end, without another answer of the server', () => {
  const [fromMs, untilMs] = [Date.parse(WINDOW.from), Date.parse(WINDOW.until)];
  const states = [fromMs - 1, fromMs, untilMs - 1, untilMs].map((atMs) => stateAt(WINDOW, atMs));
  assert.equal(states, ['planned', 'on', 'on', 'over']);
});

const NOW_MS = Date.parse('2026-11-22T09:30:00.000Z');

test('Empty fields in the form of a key are not asked for', () => {
  const form = formOf({
    name: ' CI ',
    scope: 'events:write',
    life: '',
    burst: '',
    level: '',
    delivery_urgency: '',
  });
  assert.equal(keyTermsOf(form, NOW_MS), { name: 'CI', scopes: ['events:write'] });
});

test('Channels, life and limit of a key are asked for as the API has them', () => {
  const form = formOf({
    name: 'CI',
    scope: 'events:read',
    channel: ['alerts', 'deploys'],
    life: '30',
    burst: '5',
    level: 'error',
    delivery_urgency: 'time_sensitive',
  });
  assert.equal(keyTermsOf(form, NOW_MS), {
    name: 'CI',
    scopes: ['events:read'],
    channels: ['alerts', 'deploys'],
    expires_at: '2026-12-22T09:30:00.000Z',
    burst_per_minute: 5,
    level: 'error',
    delivery_urgency: 'time_sensitive',
  });
});

test('Empty fields are not in the event that is sent, a life is a number, and a time has an offset', () => {
  const form = formOf({
    channel: 'alerts',
    title: ' Disk full ',
    description: '',
    level: 'error',
    expires_in: '300',
    send_at: '2026-12-01T09:30',
    delivery_urgency: 'standard',
    url: '',
  });
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
