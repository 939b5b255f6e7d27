import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { InboxEvent } from '../../../src/web/api/event-types.ts';
import { endOf, listedEvents } from '../../../src/web/inbox/listed-events.ts';

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

test.run();
