import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { InboxEvent } from '../../../src/web/api/event-types.ts';
import { endOf, listedEvents, repeats, runsOf } from '../../../src/web/inbox/listed-events.ts';

type Alert = InboxEvent['alert'];
const event = (public_id: string, alert: Alert | undefined) => ({ public_id, alert }) as InboxEvent;
const EVENTS = [
  event('plain', null),
  event('kept by an earlier version', undefined),
  event('open', { id: 'evt_a', state: 'open' }),
  event('joined', { id: 'evt_a', state: 'open' }),
  event('resolved', { id: 'evt_b', state: 'resolved' }),
  event('expired', { id: 'evt_c', state: 'expired' }),
  event('of an earlier page', { id: 'evt_d', state: 'open' }),
];
const LIVE = { alerts: [{ id: 'evt_a' }], next: null };
const shown = (live: Parameters<typeof listedEvents>[1], areAbove: boolean) =>
  listedEvents(EVENTS, live, areAbove).map((event) => [event.public_id, endOf(event)]);

test('An alert that stands above the list is not in it a second time, and one that is over says so', () => {
  const ended = [
    ['resolved', 'resolved'],
    ['expired', 'expired'],
  ];
  const plain = [
    ['plain', null],
    ['kept by an earlier version', null],
  ];
  assert.equal(shown(LIVE, true), [...plain, ...ended, ['of an earlier page', 'over']]);
  assert.equal(shown(LIVE, false).slice(2, 4), [
    ['open', null],
    ['joined', null],
  ]);
  assert.equal(shown({ ...LIVE, next: 'evt_a' }, true).at(-1), ['of an earlier page', null], 'more may be open');
  assert.ok(listedEvents(EVENTS, LIVE, false)[2] === EVENTS[2], 'what has not changed is not drawn again');
});

const NOON_MS = Date.UTC(2026, 10, 24, 12);

/** At so many minutes before noon. */
function titled(
  title: string,
  before: number,
  differs: { channel?: string; level?: string; collapse_key?: string } = {},
) {
  const received_at = new Date(NOON_MS - before * 60_000).toISOString();
  return { workspace: 'acme', channel: 'ops', level: 'error', title, collapse_key: null, received_at, ...differs };
}

const grouped = (...events: readonly ReturnType<typeof titled>[]) =>
  repeats(events).map((group) => `${group[0]?.title} × ${group.length}`);

test('Events of the same title are together while no more than ten minutes lie between two of them', () => {
  const disk = [0, 9, 18, 29].map((before) => titled('Disk full', before));
  assert.equal(grouped(...disk), ['Disk full × 3', 'Disk full × 1']);
});

test('Events of a collapse key are together with any text and any events between them', () => {
  const [first, second] = [0, 300].map((before) => titled(`Disk ${before}`, before, { collapse_key: 'disk' }));
  assert.ok(first && second);
  assert.equal(grouped(first, titled('Other', 1), second), ['Disk 0 × 2', 'Other × 1']);
});

test('Another channel, another level and another workspace are rows of their own', () => {
  const same = { collapse_key: 'disk' };
  const rows = [
    titled('Disk', 0, same),
    titled('Disk', 0, { ...same, level: 'success' }),
    titled('Disk', 0, { ...same, channel: 'web' }),
    { ...titled('Disk', 0, same), workspace: 'other' },
  ];
  assert.equal(repeats(rows).length, 4);
});

/** Newest first. */
const rows = (newest: number, oldest: number) => Array.from({ length: newest - oldest + 1 }, (_, nth) => newest - nth);
const oldest = new Set<string>();
/** The newest and the oldest row of each run. */
const ends = (all: readonly number[]) => runsOf(all, String, oldest).map((run) => [run[0], run.at(-1)]);

test.before.each(() => oldest.clear());

test('A row that comes on top is in the first run until that is full, and in one of its own then', () => {
  assert.equal(ends(rows(120, 1)), [
    [120, 101],
    [100, 51],
    [50, 1],
  ]);
  assert.equal(ends(rows(150, 1)), [
    [150, 101],
    [100, 51],
    [50, 1],
  ]);
  assert.equal(ends(rows(151, 1))[0], [151, 151]);
});

test('Earlier rows that are asked for leave the runs above them as they are', () => {
  assert.equal(ends(rows(120, 71)), [[120, 71]]);
  assert.equal(ends(rows(120, 11)), [
    [120, 71],
    [70, 61],
    [60, 11],
  ]);
});

test('A row that is gone changes its run alone', () => {
  ends(rows(120, 1));
  const without = (row: number) => ends(rows(120, 1).filter((number) => number !== row));
  assert.equal(without(80), [
    [120, 101],
    [100, 51],
    [50, 1],
  ]);
  assert.equal(without(51), [
    [120, 101],
    [100, 52],
    [50, 1],
  ]);
});

test.run();
