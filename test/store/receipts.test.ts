import * as assert from 'uvu/assert';
import { newDeviceId } from '../../src/contract/public-id.ts';
import { RECEIPT_WITHIN_MS } from '../../src/contract/receipts.ts';
import type { Route } from '../../src/push.ts';
import { MOST_REPORTS } from '../../src/store/calls/own-devices.ts';
import { toTimestamp } from '../../src/values/timestamp.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt } from '../support/alerts.ts';
import { ADA, BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { idOf, signIn } from '../support/people.ts';
import { claim, countsOf, settle } from '../support/queue.ts';
import { aReporter, hashOf, reportAs } from '../support/receipts.ts';
import { granted } from '../support/refusals.ts';
import { tokenOf } from '../support/workspace.ts';
import { NOW_MS, type World } from '../support/world.ts';

const { it, run } = conformance('receipts', anInsistingWorld);

/** Sends what waits. The provider accepts all of it, and reports are awaited. */
async function accepted(world: World, atMs = NOW_MS, route: Route = 'apns_production'): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const lane of ['urgent', 'standard'] as const) {
    for (const batch of await claim(world, { lane, atMs, route })) {
      ids.push(...batch.events.map(({ event }) => event.publicId));
      await settle(world, batch, { state: 'accepted', isAwaited: true }, atMs);
    }
  }
  return ids;
}

async function reportedOf(world: World, publicId: string) {
  const { accepted: all, shown, opened } = await countsOf(world, publicId);
  return { accepted: all, shown, opened };
}

function missAt(world: World, steadyMs: number) {
  return world.calls.missReceipts({ steadyMs, wallMs: steadyMs });
}

it('an event counts the devices that have shown and opened it, each once', async (world) => {
  const [first, second] = [await aReporter(world), await aReporter(world, 51)];
  const event = await world.post(INSISTING);
  await accepted(world);
  assert.equal(await reportedOf(world, event), { accepted: 3, shown: 0, opened: 0 });
  for (const _ of [1, 2]) assert.is(await reportAs(world, first, event), 'recorded');
  assert.equal(await reportedOf(world, event), { accepted: 3, shown: 1, opened: 0 });
  for (const _ of [1, 2]) await reportAs(world, first, event, { opened: true });
  await reportAs(world, second, event, { opened: true, tokenHash: hashOf('token 51') });
  assert.equal(await reportedOf(world, event), { accepted: 3, shown: 2, opened: 2 });
});

it('managers see for each device when it showed and opened an event, and members for their own devices', async (world) => {
  const id = await aReporter(world);
  const event = await world.post(INSISTING);
  await accepted(world);
  await reportAs(world, id, event, { wallMs: NOW_MS + 1_000 });
  await reportAs(world, id, event, { wallMs: NOW_MS + 2_000, opened: true });
  const [shownAt, openedAt] = [toTimestamp(NOW_MS + 1_000), toTimestamp(NOW_MS + 2_000)];
  const { deliveries } = granted(await world.calls.showEvent({ publicId: event, limit: 10 }));
  const times = ({ shown_at, opened_at }: { shown_at: string | null; opened_at: string | null }) => [
    shown_at,
    opened_at,
  ];
  const others = deliveries.filter(({ device_id }) => device_id !== id);
  assert.equal(deliveries.filter(({ device_id }) => device_id === id).map(times), [[shownAt, openedAt]]);
  assert.equal([others.length, others.flatMap(times).every((at) => at === null)], [1, true]);
  await signIn(world, 'laptop');
  const read = { userId: await idOf(world), publicId: event };
  const session = { kind: 'user', name: ADA, address: '127.0.0.1', session: hashOf('laptop'), manages: null } as const;
  const own = granted(await world.calls.readInboxEvent(read, session)).own_devices;
  assert.equal(
    own.filter((device) => device.id === id),
    [{ id, name: 'iOS device', state: 'accepted', at: toTimestamp(NOW_MS), shown_at: shownAt, opened_at: openedAt }],
  );
  await world.join(BOB);
  await signIn(world, 'phone', BOB);
  const ofBob = { userId: await idOf(world, BOB), publicId: event };
  const bobs = { ...session, name: BOB, session: hashOf('phone') };
  assert.equal(granted(await world.calls.readInboxEvent(ofBob, bobs)).own_devices, []);
});

it('a report counts although it arrives before the delivery is recorded', async (world) => {
  const id = await aReporter(world);
  const event = await world.post(INSISTING);
  assert.is(await reportAs(world, id, event), 'recorded');
  await accepted(world);
  assert.equal(await reportedOf(world, event), { accepted: 2, shown: 1, opened: 0 });
  assert.equal(await missAt(world, NOW_MS + RECEIPT_WITHIN_MS), { nextInMs: RECEIPT_WITHIN_MS, silent: [] });
});

it('a report counts only for the device of the token, and for events that it gets and reports', async (world) => {
  const id = await aReporter(world);
  const event = await world.post(INSISTING);
  const other = newDeviceId(NOW_MS);
  assert.is(await reportAs(world, id, event, { tokenHash: hashOf('another') }), 'no_device');
  assert.is(await reportAs(world, other, event), 'no_device');
  assert.is(await reportAs(world, world.devices[0] ?? '', event), 'no_device');
  assert.is(await reportAs(world, id, 'evt_0000000000000000000000000'), 'no_event');
  assert.is(await reportAs(world, id, await world.post({ urgency: 'standard' })), 'no_event', 'belongs to no alert');
  granted(await world.calls.unsubscribeDevice({ id, channels: ['alerts'] }));
  assert.is(await reportAs(world, id, event), 'no_event', 'is not for the device');
  granted(await world.calls.removeDevice({ id }));
  assert.is(await reportAs(world, id, event), 'no_device');
  assert.is(await world.countRows('reporter'), 0);
});

it('a device reports no alert from before its subscription, and none that it got no push of', async (world) => {
  await aReporter(world);
  const before = await world.post(INSISTING);
  const id = await aReporter(world, 51);
  const report = (event: string) => reportAs(world, id, event, { tokenHash: hashOf('token 51') });
  assert.is(await report(before), 'no_event', 'while it is on its way');
  await accepted(world);
  assert.is(await report(before), 'no_event', 'once it was sent');
  const address = { userId: await idOf(world), deviceId: id, workspace: 'acme', channel: 'alerts' };
  granted(await world.calls.subscribe({ ...address, mutedUntil: toTimestamp(NOW_MS + MINUTE_MS) }));
  const muted = await world.post({ ...INSISTING, collapseKey: 'muted' });
  await accepted(world);
  assert.is(await report(muted), 'no_event', 'while it is muted');
  assert.is(await world.countRows('receipt'), 0);
});

it("a moved device reports nothing by the former owner's token, and is not called silent", async (world) => {
  const id = await aReporter(world);
  const post = () => world.post({ ...INSISTING, collapseKey: null });
  await reportAs(world, id, await post());
  for (const _ of [1, 2, 3]) await post();
  await accepted(world);
  assert.equal((await missAt(world, NOW_MS + RECEIPT_WITHIN_MS)).silent, [id]);
  await world.join(BOB);
  const { device } = granted(await world.calls.moveDevice({ id, email: BOB }));
  assert.equal([device.last_shown_at, device.not_showing_since], [null, null]);
  assert.is(await world.calls.findReporter({ id, tokenHash: hashOf('token 50') }), null);
  assert.is(await reportAs(world, id, await post()), 'no_device');
  const userId = await idOf(world, BOB);
  const registration = { userId, platform: 'ios', token: tokenOf(50), deviceTokenHash: hashOf("Bob's token") } as const;
  assert.is(granted(await world.calls.registerDevice(registration)).device.id, id);
  assert.is(await reportAs(world, id, await post(), { tokenHash: hashOf("Bob's token") }), 'recorded');
  assert.equal((await missAt(world, NOW_MS + 2 * RECEIPT_WITHIN_MS)).silent, []);
});

it('test pushes and reminders are reported as well', async (world) => {
  const id = await aReporter(world);
  const { event } = granted(await world.calls.testDevice({ id, uuid: '01930000-0000-7000-8000-000000000001' }));
  assert.is(await reportAs(world, id, event.public_id), 'recorded');
  const alert = await world.post(INSISTING);
  await accepted(world);
  await roundAt(world, NOW_MS + MINUTE_MS);
  const [reminder = ''] = await accepted(world, NOW_MS + MINUTE_MS);
  assert.is.not(reminder, alert);
  assert.is(await reportAs(world, id, reminder, { wallMs: NOW_MS + MINUTE_MS }), 'recorded');
});

it('times of devices with a wrong clock are corrected', async (world) => {
  const id = await aReporter(world);
  const event = await world.post(INSISTING);
  await reportAs(world, id, event, { atMs: NOW_MS - 86_400_000, wallMs: NOW_MS + 5_000 });
  await reportAs(world, id, event, { atMs: NOW_MS + 86_400_000, wallMs: NOW_MS + 9_000, opened: true });
  assert.equal(await reportedOf(world, event), { accepted: 0, shown: 1, opened: 1 });
});

it('a device that has reported is silent after three accepted alerts without a report', async (world) => {
  const id = await aReporter(world);
  const at = (minutes: number) => NOW_MS + minutes * MINUTE_MS;
  const post = async (minutes: number) => {
    const event = await world.post({ ...INSISTING, collapseKey: null, wallMs: at(minutes), steadyMs: at(minutes) });
    await accepted(world, at(minutes));
    return event;
  };
  await post(0);
  assert.equal(await missAt(world, at(11)), { nextInMs: null, silent: [] }, 'it has never reported');
  await reportAs(world, id, await post(11), { wallMs: at(11) });
  for (const minutes of [12, 13, 14]) await post(minutes);
  assert.equal((await missAt(world, at(24) - 1)).silent, []);
  assert.is((await missAt(world, at(24))).silent.length, 1);
  assert.equal((await missAt(world, at(24))).silent, [], 'said once');
  const shownAt = async () => {
    const { last_shown_at, not_showing_since } = granted(await world.calls.showDevice({ workspace: 'acme', id }));
    return [last_shown_at, not_showing_since];
  };
  assert.equal(await shownAt(), [toTimestamp(at(11)), toTimestamp(at(24))]);
  assert.equal((await world.calls.readStatus({})).notShowing, { count: 1, first: [id] });
  const { accepted: sent } = await reportedOf(world, await post(25));
  assert.is(sent, 2, 'it gets its pushes all the same');
  assert.equal((await missAt(world, at(36))).silent, [], 'said once');
  await reportAs(world, id, await post(37), { wallMs: at(37) });
  assert.equal(await shownAt(), [toTimestamp(at(37)), null]);
  assert.equal((await world.calls.readStatus({})).notShowing, { count: 0, first: [] });
  for (const minutes of [38, 39, 40]) await post(minutes);
  assert.is((await missAt(world, at(60))).silent.length, 1, 'it has shown one in between');
});

it("a person's other devices get one quiet notice with the decision that a device is not showing", async (world) => {
  const id = await aReporter(world);
  const post = () => world.post({ ...INSISTING, collapseKey: null });
  await reportAs(world, id, await post());
  for (const _ of [1, 2, 3]) await post();
  await accepted(world);
  assert.equal((await missAt(world, NOW_MS + RECEIPT_WITHIN_MS)).silent, [id]);
  const after = await world.restart();
  const [batch, ...others] = await claim(after, { lane: 'urgent', atMs: NOW_MS + RECEIPT_WITHIN_MS });
  assert.equal([others.length, batch?.events.length], [0, 1]);
  assert.equal(await after.calls.publicDeviceIds({ ids: batch?.targets.map(({ deviceId }) => deviceId) ?? [] }), {
    [batch?.targets[0]?.deviceId ?? 0]: world.devices[0],
  });
  const { channelId, event } = batch?.events[0] ?? {};
  assert.equal([channelId, event?.quiet, event?.level], [null, true, 'warning']);
  assert.is(event?.title, 'iOS device no longer shows alerts');
});

it('devices that stop showing together are found some at a time, each with its notice', async (world) => {
  const ids: string[] = [];
  for (let nth = 50; nth < 62; nth += 1) ids.push(await aReporter(world, nth));
  const post = () => world.post({ ...INSISTING, collapseKey: null });
  const first = await post();
  for (const [index, id] of ids.entries()) {
    assert.is(await reportAs(world, id, first, { tokenHash: hashOf(`token ${50 + index}`) }), 'recorded');
  }
  for (const _ of [1, 2, 3]) await post();
  await accepted(world);
  const found: string[] = [];
  const atMs = NOW_MS + RECEIPT_WITHIN_MS;
  for (let step = 0; step < 10; step += 1) {
    const { silent } = await missAt(world, atMs);
    assert.ok(silent.length <= 5, `${silent.length} at once`);
    found.push(...silent);
  }
  assert.equal(found.toSorted(), ids.toSorted());
});

const FIRST_ADDRESS = { platform: 'ios', token: tokenOf(50), deviceTokenHash: hashOf('token 50') } as const;
const RENEWALS: readonly { what: string; route: Route; renew: (world: World, id: string) => Promise<unknown> }[] = [
  {
    what: 'another token',
    route: 'apns_production',
    renew: async (world, id) =>
      granted(await world.calls.updateDevice({ userId: await idOf(world), id, token: tokenOf(70) })),
  },
  {
    what: 'another environment',
    route: 'apns_sandbox',
    renew: async (world) =>
      granted(
        await world.calls.registerDevice({ ...FIRST_ADDRESS, userId: await idOf(world), environment: 'sandbox' }),
      ),
  },
];
for (const { what, route, renew } of RENEWALS) {
  it(`${what} clears that a device is not showing, until three later pushes are missed`, async (world) => {
    const id = await aReporter(world);
    const at = (minutes: number) => NOW_MS + minutes * MINUTE_MS;
    const post = async (minutes: number, by: Route = 'apns_production') => {
      const event = await world.post({ ...INSISTING, collapseKey: null, wallMs: at(minutes), steadyMs: at(minutes) });
      await accepted(world, at(minutes), by);
      return event;
    };
    const isSilent = async () => {
      const device = granted(await world.calls.showDevice({ workspace: 'acme', id }));
      return device.not_showing_since !== null;
    };
    await reportAs(world, id, await post(0));
    for (const minutes of [1, 2, 3]) await post(minutes);
    await missAt(world, at(13));
    // Three more are on their way to the old address.
    for (const minutes of [14, 15, 16]) await post(minutes);
    granted(await world.calls.registerDevice({ ...FIRST_ADDRESS, userId: await idOf(world) }));
    assert.ok(await isSilent(), 'the same address repairs nothing');
    const { not_showing } = granted(await world.calls.stats({ workspace: 'acme', sinceMs: NOW_MS }));
    assert.equal(not_showing, { count: 1, first: [{ id, name: 'iOS device', email: ADA }] });
    granted(await world.calls.createWorkspace({ slug: 'globex', name: 'Globex' }));
    const ofOthers = granted(await world.calls.stats({ workspace: 'globex', sinceMs: NOW_MS }));
    assert.equal(ofOthers.not_showing, { count: 0, first: [] });
    await renew(world, id);
    assert.not.ok(await isSilent());
    assert.equal((await missAt(world, at(26))).silent, []);
    for (const minutes of [27, 28]) await post(minutes, route);
    assert.equal((await missAt(world, at(38))).silent, []);
    await post(39, route);
    assert.equal((await missAt(world, at(49))).silent, [id]);
    assert.ok(await isSilent());
  });
}

it('a push that a device has not reported does not count if the device has shown a later one', async (world) => {
  const id = await aReporter(world);
  const post = () => world.post({ ...INSISTING, collapseKey: null });
  await reportAs(world, id, await post());
  for (const _ of [1, 2]) await post();
  await accepted(world);
  await reportAs(world, id, await post());
  await post();
  await accepted(world);
  assert.equal((await missAt(world, NOW_MS + RECEIPT_WITHIN_MS)).silent, []);
});

it('reports beyond one group are stored in several, and removed with their deliveries', async (world) => {
  const id = await aReporter(world);
  const events: string[] = [];
  for (let nth = 0; nth < MOST_REPORTS; nth += 1)
    events.push(await world.post({ ...INSISTING, collapseKey: `k${nth}` }));
  const base = { id, tokenHash: hashOf('token 50'), atMs: NOW_MS, opened: true };
  const answers = await world.calls.recordReceipts({ reports: events.map((publicId) => ({ ...base, publicId })) });
  assert.ok(answers.every(({ kind }) => kind === 'recorded'));
  assert.is(await world.countRows('receipt'), MOST_REPORTS);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  for (let step = 0; step < 200 && !(await world.calls.pruneStep({})).done; step += 1);
  assert.is(await world.countRows('receipt'), 0);
});

run();
