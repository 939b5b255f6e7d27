import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt } from '../../support/alerts.ts';
import { ADA, BOB, CARL } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: who was notified', anInsistingWorld);

/** The names, the last notified first, with the minutes since the start. */
async function notifiedOf(world: World, publicId: string): Promise<readonly (readonly [string, number])[]> {
  const { notified } = granted(await world.calls.readInboxEvent({ userId: await idOf(world), publicId }));
  return notified.map(({ name, at }) => [name, (Date.parse(at) - NOW_MS) / MINUTE_MS] as const);
}

async function sentIn(world: World, minute: number): Promise<void> {
  await roundAt(world, NOW_MS + minute * MINUTE_MS);
  await sentAt(world, NOW_MS + minute * MINUTE_MS);
}

it('an alert names each reached member once by the last push, without an address', async (world) => {
  await world.addDevice({ token: tokenOf(7), subscribe: ['alerts'] });
  const id = await world.post(INSISTING);
  assert.equal(await notifiedOf(world, id), [], 'nothing was sent yet');
  await sentAt(world, NOW_MS);
  assert.equal(await notifiedOf(world, id), [['ada', 0]]);
  await world.join(BOB);
  await world.addDevice({ token: tokenOf(8), subscribe: ['alerts'] }, BOB);
  await sentIn(world, 1);
  await sentIn(world, 2);
  assert.equal((await notifiedOf(world, id)).toSorted(), [
    ['ada', 2],
    ['bob', 2],
  ]);
  granted(await world.calls.acknowledgeAlert({ publicId: id, as: ADA, wallMs: NOW_MS + 2 * MINUTE_MS }));
  await sentIn(world, 3);
  assert.equal(new Set((await notifiedOf(world, id)).map(([, minute]) => minute)), new Set([2]), 'a notice is none');
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.equal(await notifiedOf(world, id), [['ada', 2]], 'of those who belong here');
});

test('a bundle counts for each of its alerts, and so does a channel that an alert has reached', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads', 'builds'] });
  await insist(world, { repeat: 60, escalate: { after: 60, channel: 'leads' } });
  await insist(world, { repeat: 60 }, 'builds');
  for (const [email, nth, channel] of [
    [BOB, 8, 'leads'],
    [CARL, 9, 'builds'],
  ] as const) {
    await world.join(email);
    await world.addDevice({ token: tokenOf(nth), subscribe: [channel] }, email);
  }
  const older = await world.post({ ...INSISTING, collapseKey: 'one' });
  const newer = await world.post({ ...INSISTING, collapseKey: 'two' });
  const elsewhere = await world.post({ ...INSISTING, channel: 'builds' });
  await sentAt(world, NOW_MS);
  await sentIn(world, 1);
  await sentIn(world, 2);
  for (const id of [older, newer]) {
    assert.equal((await notifiedOf(world, id)).toSorted(), [
      ['ada', 2],
      ['bob', 2],
    ]);
  }
  assert.equal(await notifiedOf(world, elsewhere), [['carl', 2]]);
});

it('an event without an alert has notified no one by one', async (world) => {
  const id = await world.post({ urgency: 'standard' });
  await sentAt(world, NOW_MS);
  assert.equal(await notifiedOf(world, id), []);
});

run();
