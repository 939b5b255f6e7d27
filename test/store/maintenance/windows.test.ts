import * as assert from 'uvu/assert';
import { MOST_WINDOWS } from '../../../src/contract/maintenance.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, sentAt } from '../../support/alerts.ts';
import { ADA } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { hashOf, signIn } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { NOW_MS, type World } from '../../support/world.ts';

const { it, run } = conformance('maintenance: windows', anInsistingWorld);
const CHANNEL = { workspace: 'acme', slug: 'alerts' } as const;
const HOUR_MS = 60 * MINUTE_MS;
const FOREIGN = { kind: 'operator', name: 'root', address: null } as const;

async function quietOf(world: World, publicId: string) {
  return granted(await world.calls.showEvent({ publicId, limit: 10 })).event.quiet;
}

async function titlesAt(world: World, atMs: number) {
  return (await sentAt(world, atMs)).map(({ event }) => [event.title, event.quiet ?? false]);
}

it('events of a window are quiet, and say until when and by whom', async (world) => {
  await world.calls.createMaintenance({ ...CHANNEL, for: 3_600 });
  const maintenance = { reason: 'maintenance', until: '2026-11-21T10:30:00.123+00:00', by: 'pushctl' };
  for (const event of [{}, INSISTING, { collapseKey: 'other' }]) {
    assert.equal(await quietOf(world, await world.post(event)), maintenance);
  }
  assert.is(await quietOf(world, await world.post({ wallMs: NOW_MS + HOUR_MS })), null, 'the end is not in it');
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  assert.is(await quietOf(world, await world.post({ channel: 'builds' })), null);
});

it('a planned window counts from its start, and an ended one no longer, with only for its keys', async (world) => {
  const asked = { ...CHANNEL, fromMs: NOW_MS + HOUR_MS, for: 3_600, only: 'db-*' };
  const { id } = granted(await world.calls.createMaintenance(asked));
  const reasonAt = async (atMs: number, collapseKey: string | null = 'db-1') =>
    (await quietOf(world, await world.post({ collapseKey, wallMs: atMs })))?.reason ?? null;
  assert.is(await reasonAt(NOW_MS + HOUR_MS - 1), null);
  assert.is(await reasonAt(NOW_MS + HOUR_MS), 'maintenance');
  for (const other of ['db', 'DB-1', 'web', null]) assert.is(await reasonAt(NOW_MS + HOUR_MS, other), null);
  const atMs = NOW_MS + HOUR_MS + 1;
  granted(await world.calls.endMaintenance({ workspace: 'acme', id, wallMs: atMs }));
  assert.is(await reasonAt(atMs), null);
});

it('each change of a window is one quiet notice and one entry in the audit log', async (world) => {
  await signIn(world, 'laptop');
  const own = { kind: 'user', name: ADA, address: '127.0.0.1', session: hashOf('laptop'), manages: null } as const;
  const asked = { ...CHANNEL, fromMs: NOW_MS + HOUR_MS, for: 3_600, note: 'Upgrade' };
  const { id, by } = granted(await world.calls.createMaintenance(asked, own));
  assert.is(by, 'ada');
  const planned = 'from 2026-11-21 10:30 (UTC) until 2026-11-21 11:30 (UTC): alerts';
  assert.equal(await titlesAt(world, NOW_MS), [[`Maintenance planned, ${planned}`, true]]);
  granted(await world.calls.updateMaintenance({ ...CHANNEL, id, note: 'Upgrade' }, own));
  assert.equal(await titlesAt(world, NOW_MS), [], 'nothing has changed');
  granted(await world.calls.updateMaintenance({ ...CHANNEL, id, note: null }, own));
  assert.equal(await titlesAt(world, NOW_MS), [[`Changed: Maintenance planned, ${planned}`, true]]);
  granted(await world.calls.endMaintenance({ ...CHANNEL, id }, own));
  assert.equal(await titlesAt(world, NOW_MS), [['No maintenance: alerts', true]]);
  const on = granted(await world.calls.createMaintenance({ ...CHANNEL, for: 60 }, own));
  const endMs = NOW_MS + MINUTE_MS;
  await world.calls.runRound({ wallMs: endMs });
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', action: 'maintenance', limit: 10 }));
  assert.equal(
    entries.map(({ action, actor, object }) => [action, actor.name, object.split(' ')[0]]),
    [
      ['maintenance.end', 'pushctl', on.id],
      ['maintenance.add', ADA, on.id],
      ['maintenance.end', ADA, id],
      ['maintenance.change', ADA, id],
      ['maintenance.change', ADA, id],
      ['maintenance.add', ADA, id],
    ],
  );
});

it('a channel has at most 20 windows, and a window belongs to one channel', async (world) => {
  const ids: string[] = [];
  for (let nth = 0; nth < MOST_WINDOWS; nth += 1) {
    ids.push(granted(await world.calls.createMaintenance({ ...CHANNEL, for: 3_600, only: `k${nth}` })).id);
  }
  assert.match(refused(await world.calls.createMaintenance({ ...CHANNEL, for: 60 })).message, '20 maintenance windows');
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  const [id = ''] = ids;
  const elsewhere = { workspace: 'acme', slug: 'builds', id };
  assert.is(refused(await world.calls.endMaintenance(elsewhere)).refused, 'not_found');
  assert.is(refused(await world.calls.updateMaintenance({ ...elsewhere, note: 'x' })).refused, 'not_found');
  granted(await world.calls.createMaintenance({ workspace: 'acme', slug: 'builds', for: 60 }));
  const listed = async (slug?: string) =>
    granted(await world.calls.listMaintenance({ workspace: 'acme', ...(slug !== undefined && { slug }) })).length;
  assert.equal([await listed(), await listed('alerts'), await listed('builds')], [21, 20, 1]);
  granted(await world.calls.deleteChannel(CHANNEL));
  assert.is(await listed(), 1);
  assert.is((await world.calls.nextRound({})).inMs, 60_000);
});

it('a wrong field of a window is named in the refusal, and nothing changes', async (world) => {
  const field = async (asked: object) =>
    refused(await world.calls.createMaintenance({ ...CHANNEL, ...asked })).detail?.field ?? null;
  assert.is(await field({}), 'for');
  assert.is(await field({ for: 60, only: '' }), 'only');
  assert.is(await field({ for: 60, note: ' ' }), 'note');
  const { id } = granted(await world.calls.createMaintenance({ ...CHANNEL, for: 3_600 }));
  const change = { ...CHANNEL, id, only: 'db-*' };
  assert.is(refused(await world.calls.updateMaintenance(change)).detail?.field, 'only', 'it is on');
  assert.equal(
    granted(await world.calls.listMaintenance({ workspace: 'acme' })).map(({ only }) => only),
    [null],
  );
});

it('a key starts windows in channels that it reaches, and ends only its own and those of its rotations', async (world) => {
  const { workspaceId } = world;
  const scopes = ['alerts:write'] as const;
  const key = await world.issueKey({ scopes });
  const other = await world.issueKey({ scopes });
  const actorOf = (id: string) => ({ kind: 'key', id, scope: scopes[0] }) as const;
  const reach = { workspaceId, boundKeyId: null };
  const started = granted(
    await world.calls.startMaintenance({ ...reach, channel: 'alerts', for: 600 }, actorOf(key.id)),
  );
  assert.is(started.state, 'on');
  const ends = (id: string, by: string) => world.calls.endOwnMaintenance({ ...reach, id }, actorOf(by));
  assert.is(refused(await ends(started.id, other.id)).refused, 'not_found');
  const byHand = granted(await world.calls.createMaintenance({ ...CHANNEL, for: 600 }, FOREIGN));
  assert.is(refused(await ends(byHand.id, key.id)).refused, 'not_found');
  const rotated = { id: key.id, newId: 'n'.repeat(12), secretHash: 'ab'.repeat(32), graceMs: 1 };
  granted(await world.calls.rotateKey(rotated));
  granted(await ends(started.id, rotated.newId));
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  const bound = await world.issueKey({ scopes, channels: ['builds'] });
  const narrow = { workspaceId, boundKeyId: bound.id };
  const elsewhere = { ...narrow, channel: 'alerts', for: 60 };
  assert.is(refused(await world.calls.startMaintenance(elsewhere, actorOf(bound.id))).refused, 'not_found');
  const again = granted(
    await world.calls.startMaintenance({ ...reach, channel: 'alerts', for: 60 }, actorOf(other.id)),
  );
  const ending = await world.calls.endOwnMaintenance({ ...narrow, id: again.id }, actorOf(bound.id));
  assert.is(refused(ending).refused, 'not_found');
  const tooLong = await world.calls.startMaintenance({ ...reach, channel: 'alerts', for: 14_401 }, actorOf(other.id));
  assert.is(refused(tooLong).detail?.field, 'for');
});

run();
