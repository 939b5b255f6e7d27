import * as assert from 'uvu/assert';
import type { ClaimedEvent } from '../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt, stateOf } from '../../support/alerts.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('maintenance: ends', anInsistingWorld);
const CHANNEL = { workspace: 'acme', slug: 'alerts' } as const;
const HOUR_MS = 60 * MINUTE_MS;

async function start(world: World, asked: object = {}, atMs = NOW_MS) {
  return granted(await world.calls.createMaintenance({ ...CHANNEL, for: 3_600, ...asked, wallMs: atMs }));
}

/** Rounds of the server until nothing is left to do at that time. */
async function roundsAt(world: World, atMs: number): Promise<void> {
  for (let nth = 0; nth < 100; nth += 1) {
    await roundAt(world, atMs);
    const { inMs } = await world.calls.nextRound({ wallMs: atMs });
    if (inMs !== 0) return;
  }
  throw new Error('the rounds come to no end');
}

/** Returns the pushes of that time; they are more than one batch. */
async function drainedAt(world: World, atMs: number) {
  const events: ClaimedEvent['event'][] = [];
  for (let empty = 0; empty < 5; ) {
    const sent = await sentAt(world, atMs);
    empty = sent.length === 0 ? empty + 1 : 0;
    events.push(...sent.map(({ event }) => event));
  }
  return events;
}

/** The pushes of a time: titles of those that ring, and of the quiet ones. */
async function pushesAt(world: World, atMs: number) {
  const events = await drainedAt(world, atMs);
  const titles = (isQuiet: boolean) =>
    events.filter(({ quiet = false }) => quiet === isQuiet).map(({ title }) => title);
  return { loud: titles(false), quiet: titles(true), events };
}

it('the end is one loud bundle of the 20 alerts of 500 that are still open', async (world) => {
  await start(world);
  for (let nth = 0; nth < 500; nth += 1)
    await world.post({ ...INSISTING, collapseKey: `k${nth}`, title: `Disk ${nth}` });
  for (let nth = 0; nth < 480; nth += 1) await world.post({ ...INSISTING, level: 'success', collapseKey: `k${nth}` });
  await drainedAt(world, NOW_MS);
  for (const minutes of [1, 2, 30]) {
    await roundsAt(world, NOW_MS + minutes * MINUTE_MS);
    assert.equal((await pushesAt(world, NOW_MS + minutes * MINUTE_MS)).events, [], 'no reminder');
  }
  const endMs = NOW_MS + HOUR_MS;
  await roundsAt(world, endMs - 1);
  await drainedAt(world, endMs - 1);
  await roundsAt(world, endMs);
  const { loud, events } = await pushesAt(world, endMs);
  assert.equal(loud, ['Maintenance over: 20 alerts open']);
  assert.is(events[0]?.alert?.open, 20);
  await roundsAt(world, endMs + 1);
  assert.equal((await pushesAt(world, endMs + 1)).events, [], 'once');
  await roundsAt(world, endMs + MINUTE_MS);
  assert.equal((await pushesAt(world, endMs + MINUTE_MS)).loud, ['20 open alerts'], 'a repeat after the end');
});

it('the timers of alerts count from the end, also of those that were open before', async (world) => {
  await insist(world, { until: 300 });
  const before = await world.post(INSISTING);
  await start(world, { wallMs: NOW_MS + 1 }, NOW_MS + 1);
  await roundsAt(world, NOW_MS + 20 * MINUTE_MS);
  assert.is(await stateOf(world, before, NOW_MS + 20 * MINUTE_MS), 'open', 'its life waits');
  const endMs = NOW_MS + 1 + HOUR_MS;
  await roundsAt(world, endMs);
  await roundsAt(world, endMs + 300_000 - 1);
  assert.is(await stateOf(world, before, endMs + 299_999), 'open');
  await roundsAt(world, endMs + 300_000);
  assert.is(await stateOf(world, before, endMs + 300_000), 'expired');
});

it('the life that the sender gave an event goes on: its alert expires within the window, unheard', async (world) => {
  await start(world);
  const short = await world.post({ ...INSISTING, expiresInS: 600 });
  await roundsAt(world, NOW_MS + 10 * MINUTE_MS);
  assert.is(await stateOf(world, short, NOW_MS + 10 * MINUTE_MS), 'expired');
  const long = await world.post({ ...INSISTING, expiresInS: 3_700 });
  await insist(world, { until: 7_200, repeat: 300 });
  await roundsAt(world, NOW_MS + HOUR_MS);
  await roundsAt(world, NOW_MS + 3_700_000);
  assert.is(await stateOf(world, long, NOW_MS + 3_700_000), 'expired');
});

test('an escalation waits for the end', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { escalate: { after: 600, channel: 'leads' } });
  const id = await world.post(INSISTING);
  await start(world);
  const reached = async (atMs: number) => {
    await roundsAt(world, atMs);
    return granted(await world.calls.showAlert({ publicId: id, wallMs: atMs })).alert.escalated_to;
  };
  assert.equal(await reached(NOW_MS + 30 * MINUTE_MS), []);
  assert.equal(await reached(NOW_MS + HOUR_MS), []);
  assert.equal(await reached(NOW_MS + HOUR_MS + 600_000 - 1), []);
  assert.equal(await reached(NOW_MS + HOUR_MS + 600_000), ['leads']);
});

it('with only, other alerts go on, and the end speaks if a matching one is open', async (world) => {
  await start(world, { only: 'db-*' });
  await world.post({ ...INSISTING, collapseKey: 'db-1', title: 'Held' });
  await world.post({ ...INSISTING, collapseKey: 'web', title: 'Other' });
  await drainedAt(world, NOW_MS);
  await roundsAt(world, NOW_MS + MINUTE_MS);
  assert.equal((await pushesAt(world, NOW_MS + MINUTE_MS)).loud, ['Other']);
  await world.post({ level: 'success', collapseKey: 'web', wallMs: NOW_MS + MINUTE_MS });
  await drainedAt(world, NOW_MS + MINUTE_MS);
  await roundsAt(world, NOW_MS + 5 * MINUTE_MS);
  assert.equal((await pushesAt(world, NOW_MS + 5 * MINUTE_MS)).events, [], 'the held one waits');
  await world.post({ ...INSISTING, collapseKey: 'late', title: 'Late', wallMs: NOW_MS + 12 * MINUTE_MS });
  await drainedAt(world, NOW_MS + 12 * MINUTE_MS);
  await roundsAt(world, NOW_MS + 13 * MINUTE_MS);
  assert.equal((await pushesAt(world, NOW_MS + 13 * MINUTE_MS)).loud, ['Late'], 'another alert is reminded of');
  await roundsAt(world, NOW_MS + HOUR_MS);
  assert.equal((await pushesAt(world, NOW_MS + HOUR_MS)).loud, ['Maintenance over: 2 alerts open']);
});

it('if all has ended meanwhile, the end is a quiet notice', async (world) => {
  await start(world);
  await world.post({ ...INSISTING });
  await world.post({ level: 'success', collapseKey: 'disk' });
  await drainedAt(world, NOW_MS);
  await roundsAt(world, NOW_MS + HOUR_MS);
  const { loud, quiet } = await pushesAt(world, NOW_MS + HOUR_MS);
  assert.equal([loud, quiet], [[], ['Maintenance over: alerts']]);
});

it('if two windows overlap, the push comes at the later end', async (world) => {
  await start(world);
  await start(world, { for: 7_200 });
  await world.post({ ...INSISTING, title: 'Disk full' });
  await drainedAt(world, NOW_MS);
  await roundsAt(world, NOW_MS + HOUR_MS);
  assert.equal((await pushesAt(world, NOW_MS + HOUR_MS)).loud, []);
  await roundsAt(world, NOW_MS + 90 * MINUTE_MS);
  assert.equal((await pushesAt(world, NOW_MS + 90 * MINUTE_MS)).loud, []);
  await roundsAt(world, NOW_MS + 2 * HOUR_MS);
  const { loud, events } = await pushesAt(world, NOW_MS + 2 * HOUR_MS);
  assert.equal(loud, ['Maintenance over: 1 alert open']);
  assert.is(events[0]?.description, 'Disk full');
});

it('a window that ends while its channel is inactive says nothing', async (world) => {
  await start(world);
  await world.post(INSISTING);
  granted(await world.calls.updateChannel({ ...CHANNEL, status: 'inactive' }));
  await roundsAt(world, NOW_MS + 1);
  await drainedAt(world, NOW_MS + 1);
  await roundsAt(world, NOW_MS + HOUR_MS);
  assert.equal((await pushesAt(world, NOW_MS + HOUR_MS)).events, []);
  assert.equal(await world.calls.listMaintenance({ workspace: 'acme' }), []);
});

it('a window over a change of the clock ends once after its length in real time, in spring and in autumn', async (world) => {
  for (const [cron, from, next] of [
    ['30 1 28 3 *', '2027-03-28T00:30:00.000+00:00', '2028-03-27T23:30:00.000+00:00'],
    ['30 1 31 10 *', '2027-10-30T23:30:00.000+00:00', '2028-10-31T00:30:00.000+00:00'],
  ] as const) {
    const atMs = Date.parse(from) - HOUR_MS;
    const yearly = { for: 10_800, cron, timezone: 'Europe/Berlin', wallMs: atMs };
    const window = granted(await world.calls.createMaintenance({ ...CHANNEL, ...yearly }));
    assert.is(window.from, from);
    const [onMs, endMs] = [Date.parse(from) + MINUTE_MS, Date.parse(from) + 3 * HOUR_MS];
    await drainedAt(world, atMs);
    await world.post({ ...INSISTING, collapseKey: cron, wallMs: onMs });
    assert.equal((await pushesAt(world, onMs)).loud, []);
    await roundsAt(world, endMs - 1);
    assert.equal((await pushesAt(world, endMs - 1)).loud, []);
    await roundsAt(world, endMs);
    assert.equal((await pushesAt(world, endMs)).loud, ['Maintenance over: 1 alert open']);
    const windows = granted(await world.calls.listMaintenance({ workspace: 'acme', wallMs: endMs }));
    assert.equal(windows.find(({ id }) => id === window.id)?.from, next);
    await world.post({ level: 'success', collapseKey: cron, wallMs: endMs });
    granted(await world.calls.endMaintenance({ ...CHANNEL, id: window.id, wallMs: endMs }));
    await drainedAt(world, endMs);
  }
});

it('an end by hand speaks at once, and an end during an outage at the restart', async (world) => {
  const window = await start(world);
  await world.post(INSISTING);
  await drainedAt(world, NOW_MS);
  granted(await world.calls.endMaintenance({ workspace: 'acme', id: window.id, wallMs: NOW_MS + MINUTE_MS }));
  assert.is((await world.calls.nextRound({ wallMs: NOW_MS + MINUTE_MS })).inMs, 0);
  await roundsAt(world, NOW_MS + MINUTE_MS);
  assert.equal((await pushesAt(world, NOW_MS + MINUTE_MS)).loud, ['Maintenance over: 1 alert open']);
  await start(world, {}, NOW_MS + 2 * MINUTE_MS);
  const backMs = NOW_MS + 5 * HOUR_MS;
  await roundsAt(world, backMs);
  assert.equal((await pushesAt(world, backMs)).loud, ['Maintenance over: 1 alert open']);
  await roundsAt(world, backMs + MINUTE_MS - 1);
  assert.equal((await pushesAt(world, backMs + MINUTE_MS - 1)).events, [], 'reminders count from the restart');
});

it('the bundle of an end is sent even if its newest alert ends before, but not if all do', async (world) => {
  const bundleAfter = async (ended: readonly string[], startMs: number) => {
    await start(world, {}, startMs);
    for (const collapseKey of ['a', 'b', 'c']) await world.post({ ...INSISTING, collapseKey, wallMs: startMs });
    await drainedAt(world, startMs);
    const endMs = startMs + HOUR_MS;
    await roundsAt(world, endMs);
    for (const collapseKey of ended) await world.post({ level: 'success', collapseKey, wallMs: endMs });
    return (await pushesAt(world, endMs)).loud.filter((title) => title.startsWith('Maintenance'));
  };
  assert.equal(await bundleAfter(['c'], NOW_MS), ['Maintenance over: 3 alerts open']);
  assert.equal(await bundleAfter(['c', 'b', 'a'], NOW_MS + 2 * HOUR_MS), []);
});

it('a window by cron comes again, and an acknowledged alert is not in its bundle', async (world) => {
  const nightly = { for: 3_600, cron: '0 10 * * *', timezone: 'UTC' };
  const { from } = granted(await world.calls.createMaintenance({ ...CHANNEL, ...nightly }));
  assert.is(from, '2026-11-21T10:00:00.000+00:00');
  const onMs = Date.parse(from) + MINUTE_MS;
  const id = await world.post({ ...INSISTING, wallMs: onMs });
  granted(await world.calls.acknowledgeAlert({ publicId: id, wallMs: onMs }));
  await drainedAt(world, onMs);
  const endMs = Date.parse(from) + HOUR_MS;
  await roundsAt(world, endMs);
  assert.equal((await pushesAt(world, endMs)).loud, []);
  const [window] = granted(await world.calls.listMaintenance({ workspace: 'acme', wallMs: endMs }));
  assert.equal([window?.state, window?.from], ['planned', '2026-11-22T10:00:00.000+00:00']);
});

run();
