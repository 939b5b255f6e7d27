import * as assert from 'uvu/assert';
import type { Scope } from '../../../src/push.ts';
import type { AcceptAnswer, AcceptArgs, Actor, Refusal } from '../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING, sentAt, stateOf } from '../../support/alerts.ts';
import { conformance } from '../../support/engines.ts';
import { granted, refused } from '../../support/refusals.ts';
import { AT_MS, LATER, releasedAt } from '../../support/scheduled.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: what keys may end', anInsistingWorld);

const OVER = { level: 'success', collapseKey: 'disk' } as const;

it('a success resolves the alert of which the same key posted all events', async (world) => {
  const ours = await aKey(world);
  const id = idIn(await ours.post(INSISTING));
  await ours.post({ ...INSISTING, title: 'Disk still full' });
  assert.not((await ours.post(OVER)).leavesAlert);
  assert.is(await stateOf(world, id), 'resolved');
});

it('a success of another key is pushed, and leaves the alert as it is', async (world) => {
  const [ours, theirs] = [await aKey(world), await aKey(world)];
  const id = idIn(await ours.post(INSISTING));
  await sentAt(world, NOW_MS);
  const success = await theirs.post(OVER);
  assert.is(success.leavesAlert, true);
  assert.is(await stateOf(world, id), 'open');
  const [sent] = await sentAt(world, NOW_MS);
  assert.equal([sent?.event.publicId, sent?.event.alert], [idIn(success), undefined]);
  granted(await world.calls.acknowledgeAlert({ publicId: id }));
  assert.is((await theirs.post(OVER)).leavesAlert, true);
  assert.is(await stateOf(world, id), 'acknowledged');
  assert.not((await theirs.post({ ...OVER, collapseKey: 'other' })).leavesAlert);
});

it('an alert that another key has joined is of no key alone', async (world) => {
  const [ours, theirs] = [await aKey(world), await aKey(world)];
  const id = idIn(await ours.post(INSISTING));
  await theirs.post(INSISTING);
  await ours.post(INSISTING);
  for (const key of [ours, theirs]) {
    assert.is((await key.post(OVER)).leavesAlert, true);
    assert.is(noScopeIn(await key.resolve(id)), true);
  }
  assert.is(await stateOf(world, id), 'open');
});

it('a key with alerts:write, a manager and an operator end every alert that they reach', async (world) => {
  const ours = await aKey(world);
  const byAll = await aKey(world, ['events:write', 'alerts:write']);
  const ends = [
    async () => void (await byAll.post(OVER)),
    async (id: string) => void granted(await byAll.resolve(id)),
    async () => void (await world.accept(OVER)),
    async (publicId: string) => void granted(await world.calls.resolveAlert({ publicId })),
  ];
  for (const end of ends) {
    const id = idIn(await ours.post(INSISTING));
    await end(id);
    assert.is(await stateOf(world, id), 'resolved');
  }
});

it('the posts of a key stay its own through its rotations', async (world) => {
  const first = await aKey(world);
  const id = idIn(await first.post(INSISTING));
  const later = idIn(await first.post({ title: 'Later' }));
  const second = await first.rotate();
  const third = await second.rotate();
  granted(await third.resolve(id));
  assert.is(await stateOf(world, id), 'resolved');
  granted(await third.cancel(later));
  const again = idIn(await second.post(INSISTING));
  assert.not((await third.post(OVER)).leavesAlert);
  assert.is(await stateOf(world, again), 'resolved');
});

test('the posts of a key stay its successor’s after the first key is forgotten', async (engine) => {
  const limits = { channels: 9, heartbeats: 9, keys: 2, members: 9, devices: 9 };
  const world = await anInsistingWorld({ engine, limits });
  const first = await aKey(world);
  const id = idIn(await first.post(INSISTING));
  const second = await first.rotate();
  granted(await world.calls.revokeKey({ id: first.id }));
  const third = await second.rotate();
  assert.is(await world.calls.findKey({ id: first.id }), null);
  assert.not((await third.post(OVER)).leavesAlert);
  assert.is(await stateOf(world, id), 'resolved');
});

it('acknowledging and snoozing need alerts:write, also of what a key posted itself', async (world) => {
  const ours = await aKey(world);
  const id = idIn(await ours.post(INSISTING));
  assert.ok(noScopeIn(await ours.acknowledge(id)));
  assert.ok(noScopeIn(await ours.acknowledge(id, { forS: 600, all: true })));
  assert.is(await stateOf(world, id), 'open');
  const onCall = await aKey(world, ['alerts:write']);
  granted(await onCall.acknowledge(id));
  assert.is(await stateOf(world, id), 'acknowledged');
});

it('a key cancels its own events, and with alerts:write those of others', async (world) => {
  const [ours, theirs] = [await aKey(world), await aKey(world)];
  const byOperator = await world.post(LATER);
  const id = idIn(await ours.post(LATER));
  for (const publicId of [id, byOperator]) assert.ok(noScopeIn(await theirs.cancel(publicId)));
  assert.ok(granted(await ours.cancel(id)).wasScheduled);
  const byAll = await aKey(world, ['alerts:write']);
  assert.ok(granted(await byAll.cancel(byOperator)).wasScheduled);
});

it('a success that is sent later resolves the alerts that its key may resolve, and no more', async (world) => {
  const [ours, theirs] = [await aKey(world), await aKey(world)];
  const id = idIn(await ours.post(INSISTING));
  await theirs.post({ ...OVER, ...LATER });
  await releasedAt(world, AT_MS);
  assert.is(await stateOf(world, id), 'open');
  await ours.post({ ...OVER, ...LATER });
  await releasedAt(world, AT_MS);
  assert.is(await stateOf(world, id), 'resolved');
});

run();

interface Key {
  readonly id: string;
  post(event: Partial<AcceptArgs>): Promise<AcceptAnswer & { readonly kind: 'accepted' }>;
  resolve(publicId: string): ReturnType<World['calls']['resolveAlert']>;
  acknowledge(
    publicId: string,
    with_?: { readonly forS?: number; readonly all?: boolean },
  ): ReturnType<World['calls']['acknowledgeAlert']>;
  cancel(publicId: string): ReturnType<World['calls']['cancelEvent']>;
  rotate(): Promise<Key>;
}

async function aKey(world: World, scopes: readonly Scope[] = ['events:write']): Promise<Key> {
  const { id } = await world.issueKey({ scopes });
  return keyOf(world, id, scopes);
}

function keyOf(world: World, id: string, scopes: readonly Scope[]): Key {
  const { calls, workspaceId } = world;
  const [scope = 'events:write'] = scopes;
  const actor: Actor = { kind: 'key', id, scope };
  const reach = { workspaceId, boundKeyId: null };
  return {
    id,
    async post(event) {
      const { origin = null } = (await calls.findKey({ id })) ?? {};
      const answer = await calls.acceptEvent(world.anEvent({ ...event, postedBy: origin }), actor);
      if (answer.kind !== 'accepted') throw new Error(answer.kind);
      return answer;
    },
    resolve: (publicId) => calls.resolveAlert({ publicId, reach }, actor),
    acknowledge: (publicId, with_) => calls.acknowledgeAlert({ publicId, reach, ...with_ }, actor),
    cancel: (publicId) => calls.cancelEvent({ publicId, reach }, actor),
    async rotate() {
      const newId = `${id.slice(1)}${id.slice(0, 1)}`;
      granted(await calls.rotateKey({ id, newId, secretHash: 'cd'.repeat(32), graceMs: 3_600_000 }));
      return keyOf(world, newId, scopes);
    },
  };
}

function idIn({ event }: { readonly event: { readonly public_id: string } }): string {
  return event.public_id;
}

function noScopeIn(answer: object | Refusal): boolean {
  return refused(answer as Refusal).code === 'missing_scope';
}
