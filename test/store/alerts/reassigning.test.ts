import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt, stateOf } from '../../support/alerts.ts';
import { ADA, BOB, CARL } from '../../support/cast.ts';
import type { Engine } from '../../support/engines.ts';
import { conformance } from '../../support/engines.ts';
import { actorIn, idOf, signIn } from '../../support/people.ts';
import { claim, settle } from '../../support/queue.ts';
import { granted, refused } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const NAMES = new Map([
  [tokenOf(8), 'bob'],
  [tokenOf(9), 'carl'],
]);

/** Ada, Bob and Carl have a device each in a channel that insists every minute, and Carl one in a further channel. */
async function aTeam({ engine }: { readonly engine: Engine }): Promise<World> {
  const world = await anInsistingWorld({ engine });
  for (const [nth, email] of [BOB, CARL].entries()) {
    await world.join(email);
    await world.addDevice({ token: tokenOf(8 + nth), subscribe: ['alerts'] }, email);
  }
  return world;
}

const { it, run } = conformance('alerts: reassigned', aTeam);

/** Returns who is reminded loudly at that time, and who gets a notice. */
async function heardAt(world: World, atMs: number): Promise<readonly string[]> {
  const heard: string[] = [];
  await roundAt(world, atMs);
  for (const lane of ['urgent', 'standard'] as const) {
    for (const batch of await claim(world, { lane, atMs })) {
      for (const { event: place, token } of batch.targets) {
        const event = batch.events[place]?.event;
        const text = event?.description?.split('\n')[0] ?? 'rings';
        heard.push(`${NAMES.get(token) ?? 'ada'}: ${text}${event?.quiet ? ', quietly' : ''}`);
      }
      await settle(world, batch, { state: 'accepted' }, atMs);
    }
  }
  return heard.toSorted();
}

it('a reassigned alert is open for one person alone, and after one repeat for all', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA }));
  await heardAt(world, NOW_MS);
  const atMs = NOW_MS + 5 * MINUTE_MS;
  const { alert, to } = granted(await world.calls.reassignAlert({ publicId, to: 'bob', as: ADA, wallMs: atMs }));
  assert.equal(
    [to, alert.state, alert.acknowledged_by, alert.assigned_to, alert.assigned_by],
    ['bob', 'open', null, 'bob', 'ada'],
  );
  assert.equal(
    [alert.assigned_until, alert.stops_at],
    ['2026-11-21T09:36:00.123+00:00', '2026-11-21T10:26:00.123+00:00'],
  );
  const notice = 'ada has reassigned it to bob., quietly';
  assert.equal(
    await heardAt(world, atMs),
    ['bob: ada has reassigned it to you.', `ada: ${notice}`, `carl: ${notice}`].toSorted(),
  );
  assert.equal(await heardAt(world, atMs + MINUTE_MS - 1), []);
  assert.equal(await heardAt(world, atMs + MINUTE_MS), ['ada: rings', 'bob: rings', 'carl: rings']);
  const after = granted(await world.calls.showAlert({ publicId, wallMs: atMs + MINUTE_MS })).alert;
  assert.equal([after.assigned_to, after.assigned_until, after.reminders], ['bob', null, 2]);
});

it('anybody who acknowledges a reassigned alert has it, and its time for one person ends', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.reassignAlert({ publicId, to: BOB }));
  await heardAt(world, NOW_MS);
  const { alert } = granted(await world.calls.acknowledgeAlert({ publicId, as: CARL, wallMs: NOW_MS + 1 }));
  assert.equal([alert.acknowledged_by, alert.assigned_until], ['carl', null]);
  await heardAt(world, NOW_MS + 1);
  assert.equal(await heardAt(world, NOW_MS + MINUTE_MS), []);
  granted(await world.calls.reopenAlert({ publicId, as: CARL, wallMs: NOW_MS + 50_000 }));
  assert.equal(await heardAt(world, NOW_MS + 50_000), ['ada: rings', 'bob: rings'], 'it is open for all');
});

it('reminders of other alerts go on while one is open for one person alone', async (world) => {
  const other = await world.post({ ...INSISTING, collapseKey: 'other' });
  const publicId = await world.post(INSISTING);
  await heardAt(world, NOW_MS);
  granted(await world.calls.reassignAlert({ publicId, to: 'bob', wallMs: NOW_MS + 30_000 }));
  await heardAt(world, NOW_MS + 30_000);
  await roundAt(world, NOW_MS + MINUTE_MS);
  const batches = await claim(world, { lane: 'urgent', atMs: NOW_MS + MINUTE_MS });
  const [event] = batches.flatMap(({ events }) => events);
  assert.equal([event?.event.alert?.id, event?.event.alert?.open], [other, undefined], 'no bundle');
  granted(await world.calls.resolveAlert({ publicId: other, wallMs: NOW_MS + 61_000 }));
  assert.is(await stateOf(world, publicId, NOW_MS + 61_000), 'open');
});

it('nobody is named who has no device that gets the alert: none, a muted one, one of another channel, or a name of two', async (world) => {
  const publicId = await world.post(INSISTING);
  const asked = { userId: await idOf(world), publicId };
  const offered = async () => granted(await world.calls.listAssignees(asked)).people.map(({ name }) => name);
  assert.equal(await offered(), ['bob', 'carl']);
  const [device] = granted(await world.calls.listOwnDevices({ userId: await idOf(world, BOB), limit: 1 })).devices;
  const subscription = {
    userId: await idOf(world, BOB),
    deviceId: device?.id ?? '',
    workspace: 'acme',
    channel: 'alerts',
  };
  granted(await world.calls.subscribe({ ...subscription, mutedUntil: '2026-11-22T00:00:00Z' }));
  assert.equal(await offered(), ['carl']);
  for (const to of ['bob', BOB, 'nobody', 'b%']) {
    assert.is(refused(await world.calls.reassignAlert({ publicId, to })).code, 'not_reachable', to);
  }
  granted(await world.calls.renameUser({ email: CARL, name: 'Ada' }));
  granted(await world.calls.renameUser({ email: ADA, name: 'Ada' }));
  assert.match(refused(await world.calls.reassignAlert({ publicId, to: 'Ada' })).message, 'Several people');
  assert.is(granted(await world.calls.reassignAlert({ publicId, to: CARL })).alert.assigned_to, 'Ada');
});

it('two people of one name are offered with a part of their addresses, and found by their ids', async (world) => {
  const publicId = await world.post(INSISTING);
  for (const email of [ADA, BOB, CARL]) granted(await world.calls.renameUser({ email, name: 'Alex' }));
  const { people } = granted(await world.calls.listAssignees({ userId: await idOf(world), publicId }));
  const carl = `usr_${await idOf(world, CARL)}`;
  assert.equal(people, [
    { id: `usr_${await idOf(world, BOB)}`, name: 'Alex (bob)' },
    { id: carl, name: 'Alex (carl)' },
  ]);
  const { alert } = granted(await world.calls.reassignAlert({ publicId, to: carl, as: ADA }));
  assert.equal([alert.assigned_to, alert.assigned_by], ['Alex', 'Alex']);
  assert.equal(alert.person_ids, { assigned_to: carl, assigned_by: `usr_${await idOf(world)}` });
});

it('the person who has the alert reassigns it, and owners and admins; nobody reassigns one that has ended', async (world) => {
  const publicId = await world.post(INSISTING);
  const [bob, carl] = [await idOf(world, BOB), await idOf(world, CARL)];
  await signIn(world, 'b', BOB);
  await signIn(world, 'c', CARL);
  const [asBob, asCarl] = [actorIn('b', BOB), actorIn('c', CARL)];
  const reassign = (userId: number, actor: typeof asBob, to: string) =>
    world.calls.reassignAlert({ publicId, userId, to }, actor);
  assert.is(refused(await reassign(bob, asBob, 'carl')).refused, 'forbidden', 'nobody has it');
  granted(await world.calls.acknowledgeAlert({ publicId, userId: bob }, asBob));
  assert.is(refused(await reassign(carl, asCarl, 'carl')).refused, 'forbidden', 'Bob has it');
  granted(await reassign(bob, asBob, 'carl'));
  granted(await world.calls.setMemberRole({ workspace: 'acme', email: CARL, role: 'admin' }));
  granted(await reassign(carl, asCarl, 'bob'));
  granted(await world.calls.resolveAlert({ publicId }));
  assert.is(refused(await reassign(carl, asCarl, 'bob')).refused, 'conflict');
});

run();
