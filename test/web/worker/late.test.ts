import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startWorker } from './start-worker.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-11-29T07:00:00Z');
const OPEN = { alert_id: 'evt_1', alert_state: 'open' };

interface Situation {
  readonly minutes: number;
  readonly data?: object;
  /** The alert's state as the server has it. */
  readonly state?: string;
  readonly clockOffMinutes?: number;
  readonly server?: 'away' | 'signed-out' | 'hangs';
}

/** Whether a push of that age is heard, and what the worker asked before. */
async function heard({ minutes, data, state, clockOffMinutes = 0, server }: Situation) {
  const headers = { Date: new Date(NOW_MS).toUTCString() };
  const answers = {
    away: () => Promise.reject(new TypeError('Failed to fetch')),
    'signed-out': () => new Response('{}', { status: 401, headers }),
    hangs: () => new Promise<Response>(() => {}),
    well: () => Response.json({ event: {}, alert: state === undefined ? null : { state } }, { headers }),
  };
  const worker = startWorker({ nowMs: NOW_MS + clockOffMinutes * MINUTE_MS, server: answers[server ?? 'well'] });
  const received_at = new Date(NOW_MS - minutes * MINUTE_MS).toISOString();
  const notification = { title: 'Disk full', tag: 'evt_2', silent: false, requireInteraction: true };
  const actions = data && [{ action: 'acknowledge', title: 'Acknowledge' }];
  await worker.push({ notification: { ...notification, actions, data: { event_id: 'evt_2', received_at, ...data } } });
  const { silent, renotify = false } = worker.shown[0] ?? {};
  return { isHeard: silent === false, renotify, asked: worker.asked };
}

test('A push of the last quarter of an hour is heard, and asks nothing', async () => {
  assert.equal(await heard({ minutes: 14 }), { isHeard: true, renotify: false, asked: [] });
  assert.equal(await heard({ minutes: 14, data: OPEN }), { isHeard: true, renotify: true, asked: [] });
});

test('A later push that belongs to no open alert is shown without a sound', async () => {
  assert.equal(await heard({ minutes: 16 }), { isHeard: false, renotify: false, asked: ['GET /api/v1/events/evt_2'] });
  for (const state of ['resolved', 'expired', 'acknowledged'])
    assert.not((await heard({ minutes: 720, data: { ...OPEN, alert_state: state }, state })).isHeard, state);
});

test('A later push of an open alert is heard, unless the server says that the alert has ended since', async () => {
  const still = await heard({ minutes: 720, data: OPEN, state: 'open' });
  assert.equal(still, { isHeard: true, renotify: true, asked: ['GET /api/v1/events/evt_1'] });
  assert.equal(await heard({ minutes: 720, data: OPEN, state: 'resolved' }), {
    ...still,
    isHeard: false,
    renotify: false,
  });
});

test('A reminder of several open alerts is heard, even if the named alert has ended', async () => {
  const bundle = { minutes: 60, data: { ...OPEN, open_alerts: 3 }, state: 'acknowledged' };
  assert.equal(await heard(bundle), { isHeard: true, renotify: true, asked: [] });
});

test('Without an answer about its alert, a later push is heard as it says of itself', async () => {
  for (const server of ['away', 'signed-out', 'hangs'] as const) {
    assert.ok((await heard({ minutes: 720, data: OPEN, server })).isHeard, server);
    assert.not((await heard({ minutes: 720, server })).isHeard, server);
  }
});

test('A question about a late push ends when nobody waits for its answer any more', async () => {
  const signals: unknown[] = [];
  const server = (_path: string, options: RequestInit | undefined) => {
    signals.push(options?.signal);
    return new Response('{}', { status: 401 });
  };
  const worker = startWorker({ nowMs: NOW_MS, server });
  const received_at = new Date(NOW_MS - 16 * MINUTE_MS).toISOString();
  await worker.push({ notification: { title: 'Disk full', data: { event_id: 'evt_2', received_at } } });
  assert.ok(signals.length === 1 && signals[0] instanceof AbortSignal);
});

test("A push is late by the server's clock, if this device's clock is ahead of it", async () => {
  assert.ok((await heard({ minutes: 1, clockOffMinutes: 60 })).isHeard);
  assert.ok((await heard({ minutes: 1, clockOffMinutes: 60, server: 'signed-out' })).isHeard);
  assert.not((await heard({ minutes: 16, clockOffMinutes: 60 })).isHeard);
});

test('A push that does not say when it was accepted is heard', async () => {
  assert.ok((await heard({ minutes: 720, data: { received_at: undefined } })).isHeard);
});

test.run();
