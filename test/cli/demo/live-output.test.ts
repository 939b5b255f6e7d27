import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Arrival, DemoView, type DemoViewProps } from '../../../src/cli/demo/live-output.tsx';
import type { EventRecord } from '../../../src/push.ts';

const EVENT: EventRecord = {
  public_id: 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
  event_uuid: '019a7e3d-96a8-4b8e-8c31-8d103c514986',
  status: 'queued',
  level: 'info',
  event_type: null,
  target_device_count: 2,
  received_at: '2026-11-21T09:30:00.123+00:00',
};

function arrival(number: number, with_: Partial<Arrival> = {}): Arrival {
  const at = new Date(2026, 10, 21, 9, 30, number);
  return { number, route: 'fcm', at, eventId: EVENT.public_id, title: 'Hello', body: '', ...with_ };
}

function draw(props: Partial<DemoViewProps>): string {
  const { lastFrame, unmount } = render(createElement(DemoView, { event: null, arrivals: [], total: 0, ...props }));
  const screen = lastFrame() ?? '';
  unmount();
  return screen;
}

test('Before anything was posted, nothing has arrived', () => {
  assert.is(draw({}), '0 pushes arrived');
});

test('It shows the posted events and each push as it came: its time, device and event', () => {
  const arrivals = [arrival(1, { route: 'apns_production' }), arrival(2)];
  assert.equal(draw({ event: EVENT, arrivals, total: 2 }).split('\n'), [
    `Posted ${EVENT.public_id} to 2 devices`,
    `✓ 09:30:01 iPhone Hello ${EVENT.public_id}`,
    `✓ 09:30:02 Pixel  Hello ${EVENT.public_id}`,
    '2 pushes arrived',
  ]);
});

test('One push is one, and a long title keeps to its line', () => {
  const screen = draw({ event: EVENT, arrivals: [arrival(1, { title: 'x'.repeat(300) })], total: 1 });
  assert.match(screen, /1 push arrived$/);
  assert.is(screen.split('\n').length, 3);
});

test.run();
