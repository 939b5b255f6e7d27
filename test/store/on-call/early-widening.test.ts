import * as assert from 'uvu/assert';
import type { WatchTurn } from '../../../src/store/calls/alerts.ts';
import { INSISTING, MINUTE_MS, roundAt } from '../../support/alerts.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { type TestWorkspace, tokenOf } from '../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../support/world.ts';

const { test, run } = conformance('on call: early widening');

const CHANNELS = 130;
/** A look takes so many of one workspace, if no other has any. */
const ONE_LOOK = 50;
const SECOND_MS = 1_000;
const LONG = { repeat: 3_600, until: 7_200 } as const;

/** Adds channels, each with an open alert that rings for a device of the rota's only member alone. Returns the device. */
async function ringAlone(
  { calls }: World,
  { workspace, place, channels, email }: { workspace: string; place: TestWorkspace; channels: number; email: string },
): Promise<{ readonly userId: number; readonly deviceId: string }> {
  const handover = { every: 'day', at: '09:00' } as const;
  granted(await calls.createRota({ workspace, slug: 'payments', members: [email], handover }));
  const deviceId = await place.addDevice({ token: tokenOf(place.workspaceId), subscribe: [] }, email);
  const userId = (await calls.findUser({ email }))?.userId ?? 0;
  for (let nth = 0; nth < channels; nth += 1) {
    const slug = `c${nth}`;
    granted(await calls.createChannel({ workspace, slug }));
    granted(await calls.subscribe({ userId, deviceId, workspace, channel: slug }));
    const insist = { ...LONG, on_call: { rota: 'payments', widen_after: 3_600 } };
    granted(await calls.updateChannel({ workspace, slug, insist }));
    await place.accept({ ...INSISTING, channel: slug });
  }
  return { userId, deviceId };
}

/** Returns how many looks it takes until a channel has a round. */
async function looksUntilARound(world: World, most: number): Promise<number> {
  let turn: WatchTurn | undefined;
  for (let looks = 1; looks <= most; looks += 1) {
    const asked = { wallMs: NOW_MS + looks * SECOND_MS, ...(turn && { turn }) };
    const { inMs, unheardIn, ...next } = await world.calls.nextRound(asked);
    turn = next.turn;
    if (inMs === 0) return unheardIn?.length === 1 ? looks : Number.NaN;
    assert.is(inMs, SECOND_MS);
  }
  return Number.POSITIVE_INFINITY;
}

test('an alert widens early, however many channels of another workspace are watched', async (engine) => {
  const world = await aWorld({ engine, owner: ADA });
  await ringAlone(world, { workspace: 'acme', place: world, channels: CHANNELS, email: ADA });
  const place = await world.addWorkspace('other', { owner: BOB });
  const bob = await ringAlone(world, { workspace: 'other', place, channels: 1, email: BOB });
  assert.is((await world.calls.nextRound({})).inMs, SECOND_MS);
  granted(await world.calls.unsubscribe({ ...bob, workspace: 'other', channel: 'c0' }));
  assert.is(await looksUntilARound(world, 1), 1);
  await roundAt(world, NOW_MS + SECOND_MS);
  assert.is(await looksUntilARound(world, 4), Number.POSITIVE_INFINITY);
});

test('an alert widens early beside many watched channels of its own workspace', async (engine) => {
  const world = await aWorld({ engine, owner: ADA });
  const ada = await ringAlone(world, { workspace: 'acme', place: world, channels: CHANNELS, email: ADA });
  granted(await world.calls.unsubscribe({ ...ada, workspace: 'acme', channel: `c${CHANNELS - 1}` }));
  const looks = await looksUntilARound(world, 5);
  assert.ok(looks <= 3, `${looks} looks`);
});

test('looks go on at the first channel of a workspace that has as many as a look takes', async (engine) => {
  const world = await aWorld({ engine, owner: ADA });
  const ada = await ringAlone(world, { workspace: 'acme', place: world, channels: ONE_LOOK, email: ADA });
  assert.is(await looksUntilARound(world, 3), Number.POSITIVE_INFINITY);
  granted(await world.calls.unsubscribe({ ...ada, workspace: 'acme', channel: 'c0' }));
  assert.is(await looksUntilARound(world, 1), 1);
});

test('a turn forgets a workspace in which no channel is watched any more', async (engine) => {
  const world = await aWorld({ engine, owner: ADA });
  await ringAlone(world, { workspace: 'acme', place: world, channels: ONE_LOOK, email: ADA });
  const place = await world.addWorkspace('other', { owner: BOB });
  await ringAlone(world, { workspace: 'other', place, channels: 1, email: BOB });
  const { turn } = await world.calls.nextRound({});
  assert.is(turn?.channels.length, 1);
  const { alerts } = granted(await world.calls.listAlerts({ workspace: 'acme', limit: 100 }));
  for (const { id } of alerts) granted(await world.calls.acknowledgeAlert({ publicId: id, as: ADA }));
  while ((await world.countRows('watched_channel')) > 1) await roundAt(world, NOW_MS + SECOND_MS);
  assert.equal((await world.calls.nextRound({ ...(turn && { turn }) })).turn?.channels, []);
});

test('a channel is watched until none of its alerts rings for one person alone', async (engine) => {
  const world = await aWorld({ engine, owner: ADA });
  await ringAlone(world, { workspace: 'acme', place: world, channels: 2, email: ADA });
  const watched = () => world.countRows('watched_channel');
  assert.is(await watched(), 2);
  const { alerts } = granted(await world.calls.listAlerts({ workspace: 'acme', limit: 10 }));
  granted(await world.calls.acknowledgeAlert({ publicId: alerts[0]?.id ?? '', as: ADA }));
  await roundAt(world, NOW_MS + SECOND_MS);
  assert.is(await watched(), 1);
  granted(await world.calls.acknowledgeAlert({ publicId: alerts[1]?.id ?? '', as: ADA, forS: 300 }));
  await roundAt(world, NOW_MS + SECOND_MS);
  assert.is(await watched(), 0);
  await roundAt(world, NOW_MS + 5 * MINUTE_MS);
  assert.is(await watched(), 1);
});

run();
