import * as assert from 'uvu/assert';
import type { Scope } from '../../../src/push.ts';
import type { Actor } from '../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt, sentAt, stateOf } from '../../support/alerts.ts';
import { ADA, BOB } from '../../support/cast.ts';
import type { Engine } from '../../support/engines.ts';
import { conformance } from '../../support/engines.ts';
import { claim, settle } from '../../support/queue.ts';
import { granted, refused } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const HOUR_MS = 60 * MINUTE_MS;
const BOBS = tokenOf(8);

/** Ada and Bob have a device each in a channel that insists. */
async function aTeam({ engine }: { readonly engine: Engine }): Promise<World> {
  const world = await anInsistingWorld({ engine });
  await world.join(BOB);
  await world.addDevice({ token: BOBS, subscribe: ['alerts'] }, BOB);
  return world;
}

const { it, run } = conformance('alerts: opened again', aTeam);

/** Returns the pushes at that time: a letter for each device, and the text or state. */
async function heardAt(world: World, atMs: number): Promise<readonly string[]> {
  const heard: string[] = [];
  await roundAt(world, atMs);
  for (const lane of ['urgent', 'standard'] as const) {
    for (const batch of await claim(world, { lane, atMs })) {
      for (const { event: place, token } of batch.targets) {
        const event = batch.events[place]?.event;
        heard.push(
          `${token === BOBS ? 'bob' : 'ada'}: ${event?.quiet ? (event.description ?? '') : event?.alert?.state}`,
        );
      }
      await settle(world, batch, { state: 'accepted' }, atMs);
    }
  }
  return heard.toSorted();
}

async function alertOf(world: World, publicId: string, wallMs = NOW_MS) {
  return granted(await world.calls.showAlert({ publicId, wallMs })).alert;
}

it('an acknowledgement taken back within a minute restores the alert, and everyone else is reminded at once', async (world) => {
  const publicId = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  const before = await alertOf(world, publicId);
  const atMs = NOW_MS + 500;
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA, wallMs: atMs }));
  await sentAt(world, atMs);
  const undoneMs = atMs + 59_000;
  const { alert, reopened } = granted(await world.calls.reopenAlert({ publicId, as: ADA, wallMs: undoneMs }));
  assert.equal([reopened, alert.state, alert.acknowledged_by, alert.reopened_by], [1, 'open', null, 'ada']);
  const laterBy = Date.parse(alert.stops_at ?? '') - Date.parse(before.stops_at ?? '');
  assert.is(laterBy, 59_000, 'the time in which it was acknowledged does not count');
  assert.equal(await heardAt(world, undoneMs), ['bob: open']);
  assert.equal(await heardAt(world, undoneMs + MINUTE_MS), ['ada: open', 'bob: open'], 'the next one is for all');
});

it('a resolution taken back gives the alert to its last owner, and says so quietly', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA }));
  granted(await world.calls.resolveAlert({ publicId, as: BOB, wallMs: NOW_MS + 1_000 }));
  const idleAtMs = NOW_MS + 8 * HOUR_MS;
  await heardAt(world, NOW_MS + 1_000);
  const atMs = NOW_MS + 2_000;
  const { alert } = granted(await world.calls.reopenAlert({ publicId, all: true, as: BOB, wallMs: atMs }));
  assert.equal([alert.state, alert.acknowledged_by, alert.ended_by], ['acknowledged', 'ada', null]);
  const notice = 'bob has reopened it: ada has it.';
  assert.equal(await heardAt(world, atMs), [`ada: ${notice}`, `bob: ${notice}`]);
  await roundAt(world, idleAtMs - 1);
  assert.is(await stateOf(world, publicId), 'acknowledged');
  await roundAt(world, idleAtMs);
  assert.is(await stateOf(world, publicId), 'resolved', 'its eight hours go on');
});

it('a snooze that is taken back leaves the alert as it was, and one whose time passed meanwhile opens it', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA, forS: 300 }));
  granted(await world.calls.acknowledgeAlert({ publicId, as: BOB, forS: 86_400, wallMs: NOW_MS + 299_000 }));
  await heardAt(world, NOW_MS + 299_000);
  const atMs = NOW_MS + 301_000;
  const { alert } = granted(await world.calls.reopenAlert({ publicId, as: BOB, wallMs: atMs }));
  assert.equal([alert.state, alert.acknowledged_by], ['acknowledged', 'ada']);
  assert.is(alert.reopened_by, null);
  assert.equal(await heardAt(world, atMs), ['ada: open', 'bob: open']);
});

it("an undo after another person's act restores nothing of theirs: with all it is refused, else the alert reopens", async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA }));
  granted(await world.calls.resolveAlert({ publicId, as: BOB, wallMs: NOW_MS + 1_000 }));
  const atMs = NOW_MS + 2_000;
  const late = refused(await world.calls.reopenAlert({ publicId, all: true, as: ADA, wallMs: atMs }));
  assert.equal([late.code, late.message.includes('bob')], ['nothing_to_undo', true]);
  assert.is(await stateOf(world, publicId), 'resolved');
  const { alert } = granted(await world.calls.reopenAlert({ publicId, as: ADA, wallMs: atMs }));
  assert.equal([alert.state, alert.stops_at, alert.reopened_by], ['open', '2026-11-21T10:20:02.123+00:00', 'ada']);
});

it('if two people take the same act back at once, one succeeds and the other changes nothing', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA }));
  const by: Actor = { kind: 'operator', name: 'root', address: null };
  const answers = await Promise.all([1, 2].map(() => world.calls.reopenAlert({ publicId, as: ADA }, by)));
  assert.equal(
    answers.map((answer) => granted(answer).reopened),
    [1, 0],
  );
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', action: 'alert.reopen', limit: 10 }));
  assert.is(entries.length, 1);
});

it('after a minute anybody opens it again, with new timers', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA }));
  await heardAt(world, NOW_MS + MINUTE_MS);
  const atMs = NOW_MS + 7 * HOUR_MS;
  assert.is(
    refused(await world.calls.reopenAlert({ publicId, all: true, as: ADA, wallMs: atMs })).code,
    'nothing_to_undo',
  );
  const { alert } = granted(await world.calls.reopenAlert({ publicId, as: BOB, wallMs: atMs }));
  assert.equal([alert.state, alert.acknowledged_by, alert.stops_at], ['open', null, '2026-11-21T17:20:00.123+00:00']);
  assert.equal(await heardAt(world, atMs), ['ada: open']);
  assert.is(
    granted(await world.calls.reopenAlert({ publicId, as: BOB, wallMs: atMs })).reopened,
    0,
    'it is open already',
  );
});

it('an alert resolved by its sender is reopened within an hour, not later, and not if its key lives again', async (world) => {
  const publicId = await world.post(INSISTING);
  await world.post({ ...INSISTING, level: 'success' });
  await heardAt(world, NOW_MS);
  const late = await world.calls.reopenAlert({ publicId, as: ADA, wallMs: NOW_MS + HOUR_MS });
  assert.is(refused(late).code, 'not_reopened');
  granted(await world.calls.reopenAlert({ publicId, as: ADA, wallMs: NOW_MS + HOUR_MS - 1 }));
  await world.post({ ...INSISTING, level: 'success', wallMs: NOW_MS + HOUR_MS });
  const second = await world.post({ ...INSISTING, wallMs: NOW_MS + HOUR_MS });
  const lives = refused(await world.calls.reopenAlert({ publicId, as: ADA, wallMs: NOW_MS + HOUR_MS }));
  assert.equal([lives.code, lives.message.includes(second)], ['alert_lives', true]);
});

it('neither an expired alert nor one of a channel that no longer insists is opened again', async (world) => {
  const expired = await world.post(INSISTING);
  const taken = await world.post({ ...INSISTING, collapseKey: 'net' });
  granted(await world.calls.acknowledgeAlert({ publicId: taken, as: ADA }));
  const atMs = NOW_MS + HOUR_MS;
  await roundAt(world, atMs);
  assert.is(refused(await world.calls.reopenAlert({ publicId: expired, as: ADA, wallMs: atMs })).code, 'not_reopened');
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: null, wallMs: atMs }));
  assert.is(refused(await world.calls.reopenAlert({ publicId: taken, as: ADA, wallMs: atMs })).code, 'not_reopened');
});

it('an act of a key is taken back by its rotations too, with alerts:write', async (world) => {
  const publicId = await world.post(INSISTING);
  const reach = { workspaceId: world.workspaceId, boundKeyId: null };
  const [writer, poster] = [await world.issueKey({ scopes: ['alerts:write'] }), await world.issueKey()];
  const by = ({ id }: { id: string }, scope: Scope = 'alerts:write'): Actor => ({ kind: 'key', id, scope });
  granted(await world.calls.acknowledgeAlert({ publicId, reach }, by(writer)));
  assert.is(
    refused(await world.calls.reopenAlert({ publicId, reach }, by(poster, 'events:write'))).code,
    'missing_scope',
  );
  const rotated = { id: writer.id, newId: 'n'.repeat(12), secretHash: 'a'.repeat(64), graceMs: 1_000 };
  granted(await world.calls.rotateKey(rotated));
  granted(await world.calls.reopenAlert({ publicId, reach, all: true }, by({ id: rotated.newId })));
  assert.equal(await heardAt(world, NOW_MS), ['ada: open', 'bob: open']);
});

run();
