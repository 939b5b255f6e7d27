import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import type { Actor } from '../../../src/store/calls.ts';
import { socketPath } from '../../../src/store/data-folder.ts';
import type { CallRequest } from '../../../src/store/reply.ts';
import { openStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { serveSocket } from '../../../src/store/transports/socket-server.ts';
import { openStoreThread } from '../../../src/store/transports/thread-client.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { hashOf, idOf, OPERATOR, signIn } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { fails, someSettings } from '../../support/store.ts';
import { aDevice } from '../../support/workspace.ts';
import { aWorld, linesOf, NOW_MS, type World } from '../../support/world.ts';

const ADA_BY_API: Actor = {
  kind: 'user',
  name: ADA,
  address: '192.0.2.7',
  session: hashOf('laptop'),
  manages: null,
};
const KEY = { id: 'k'.repeat(12), secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;

const DAY_MS = 86_400_000;

/** More than a step of the removal takes. */
const MANY = 1_200;

const { test, it, run } = conformance('audit', aWorld);

it('the entry of a change has its author, act, time, and origin', async (world) => {
  await signIn(world, 'laptop');
  granted(await world.calls.issueKey({ workspace: 'acme', name: 'ci', ...KEY }, ADA_BY_API));
  assert.equal(granted(await world.calls.listAudit({ limit: 5 })), {
    entries: [
      {
        at: '2026-11-21T09:30:00.123+00:00',
        actor: { kind: 'user', name: ADA, address: '192.0.2.7' },
        action: 'key.issue',
        workspace: 'acme',
        object: 'kkkkkkkkkkkk "ci"',
      },
    ],
    next: null,
  });
});

test('old entries are deleted, except the entry of the last backup, and that one delays nothing', async (engine) => {
  const world = await aWorld({ engine, auditRetentionMs: 10 * DAY_MS });
  const many = (call: (nth: number) => Pick<CallRequest, 'name' | 'args'>) =>
    world.group(Array.from({ length: MANY }, (_, nth) => ({ ...call(nth), actor: OPERATOR })));
  const afterDays = async (days: number) => {
    const wallMs = NOW_MS + days * DAY_MS;
    while (!(await world.calls.pruneStep({ wallMs, passedMs: 86_400_000 })).done);
    return world.countRows('audit');
  };
  const lastBackup = async () => (await world.calls.readStatus({})).lastBackup?.file;
  await many((nth) => ({ name: 'recordBackup', args: { file: `backup-${nth}` } }));
  await many(() => ({ name: 'pauseRoute', args: { route: 'fcm' } }));
  assert.equal([await afterDays(9), await lastBackup()], [2 * MANY, `backup-${MANY - 1}`]);
  assert.equal([await afterDays(11), await lastBackup()], [1, `backup-${MANY - 1}`]);
});

it('a refused change, or a change without an actor, leaves no entry', async (world) => {
  await signIn(world, 'laptop');
  refused(await world.calls.createChannel({ workspace: 'acme', slug: 'alerts' }, ADA_BY_API));
  refused(await world.calls.revokeKey({ id: 'unknown' }, ADA_BY_API));
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  await world.calls.listWorkspaces({}, ADA_BY_API);
  assert.is(await world.countRows('audit'), 0);
});

it('a change and its entry are one: a change that cannot be logged is not done', async (world) => {
  const unnamed = { ...OPERATOR, name: null } as unknown as Actor;
  await fails(world.calls.createChannel({ workspace: 'acme', slug: 'builds' }, unnamed));
  assert.is(await world.countRows('channel'), 1);
});

it('every change has its words', async (world) => {
  await everyChange(world);
  const { entries } = granted(await world.calls.listAudit({ limit: 100 }));
  assert.equal(entries.map(({ action, workspace }) => `${action} ${workspace}`).reverse(), [
    'plan.set null',
    'workspace.create umbrella',
    'workspace.rename umbrella',
    'workspace.set-plan umbrella',
    'workspace.suspend umbrella',
    'workspace.activate umbrella',
    'workspace.delete umbrella',
    'channel.create acme',
    'channel.update acme',
    'channel.delete acme',
    'key.issue acme',
    'key.rotate acme',
    'key.revoke acme',
    'member.add acme',
    'member.rename null',
    'member.role acme',
    'member.pair null',
    'member.password null',
    'member.password null',
    'member.sign-out null',
    'device.add acme',
    'device.export acme',
    'device.unsubscribe acme',
    'device.subscribe acme',
    'device.move null',
    'device.test null',
    'event.cancel acme',
    'event.resend acme',
    'event.resend acme',
    'device.remove null',
    'device.import acme',
    'member.remove acme',
  ]);
});

it('a rotation that takes the place of an earlier one logs which key it revoked', async (world) => {
  await signIn(world, 'laptop');
  granted(await world.calls.issueKey({ workspace: 'acme', name: 'ci', ...KEY }, ADA_BY_API));
  for (const [newId, again] of [
    ['first', false],
    ['second', true],
  ] as const) {
    const secretHash = hashOf(newId);
    granted(await world.calls.rotateKey({ id: KEY.id, newId, secretHash, graceMs: 1_000, again }, ADA_BY_API));
  }
  const { entries } = granted(await world.calls.listAudit({ limit: 2 }));
  assert.equal(
    entries.map(({ object }) => object),
    ['kkkkkkkkkkkk to second "ci", first revoked', 'kkkkkkkkkkkk to first "ci"'],
  );
});

it('no secret and no token comes into the log', async (world) => {
  await everyChange(world);
  const log = JSON.stringify(granted(await world.calls.listAudit({ limit: 100 })));
  for (const secret of ['ab'.repeat(32), 'cd'.repeat(32), hashOf('code'), hashOf('phone'), 'scrypt$']) {
    assert.not.ok(log.includes(secret), secret);
  }
});

test('the command line signs its changes, through a running server as well as without one', async () => {
  await using opened = new Resources();
  const dataDir = temporaryFolder();
  const options = { dataDir, settings: someSettings(), version: '1', actor: () => OPERATOR, canCreate: true };
  const alone = await openStore(options);
  granted(await alone.createWorkspace({ slug: 'alone' }));
  await alone.close();
  const thread = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  opened.add(await serveSocket({ path: socketPath(dataDir), store: thread, version: '1' }));
  const through = opened.add(await openStore(options));
  granted(await through.createWorkspace({ slug: 'through' }));
  const { entries } = granted(await through.listAudit({ limit: 5 }));
  assertEach(entries, ({ object, actor }) => [object, actor.name], [
    ['through', 'root'],
    ['alone', 'root'],
  ]);
});

run();

async function everyChange(world: World): Promise<void> {
  const { calls } = world;
  await signIn(world, 'laptop');
  const acme = { workspace: 'acme' } as const;
  granted(await calls.setPlan({ name: 'small', monthlyEvents: 10 }, OPERATOR));
  granted(await calls.createWorkspace({ slug: 'umbrella' }, OPERATOR));
  granted(await calls.renameWorkspace({ slug: 'umbrella', name: 'Umbrella Ltd' }, OPERATOR));
  granted(await calls.setWorkspacePlan({ slug: 'umbrella', plan: 'small' }, OPERATOR));
  granted(await calls.setWorkspaceStatus({ slug: 'umbrella', status: 'suspended' }, OPERATOR));
  granted(await calls.setWorkspaceStatus({ slug: 'umbrella', status: 'active' }, OPERATOR));
  granted(await calls.deleteWorkspace({ slug: 'umbrella' }, OPERATOR));
  granted(await calls.createChannel({ ...acme, slug: 'builds' }, ADA_BY_API));
  granted(await calls.updateChannel({ ...acme, slug: 'builds', status: 'inactive' }, ADA_BY_API));
  granted(await calls.deleteChannel({ ...acme, slug: 'builds' }, OPERATOR));
  granted(await calls.issueKey({ ...acme, ...KEY }, ADA_BY_API));
  const rotation = { id: KEY.id, newId: 'n'.repeat(12), secretHash: 'cd'.repeat(32), graceMs: 0 };
  granted(await calls.rotateKey({ ...rotation }, ADA_BY_API));
  granted(await calls.revokeKey({ id: KEY.id }, ADA_BY_API));
  granted(await calls.addMember({ ...acme, email: BOB, role: 'member' }, OPERATOR));
  granted(await calls.renameUser({ email: BOB, name: 'Bob' }, OPERATOR));
  granted(await calls.setMemberRole({ ...acme, email: BOB, role: 'admin' }, ADA_BY_API));
  granted(await calls.createPairingCode({ email: BOB, codeHash: hashOf('code'), lifeMs: 0 }, OPERATOR));
  granted(await calls.setPassword({ email: BOB, password: 'scrypt$1' }, OPERATOR));
  const own = { userId: await idOf(world, BOB), tokenHash: hashOf('phone'), current: 'scrypt$1', password: 'scrypt$2' };
  granted(await calls.changePassword(own, ADA_BY_API));
  granted(await calls.closeSessions({ email: BOB }, OPERATOR));
  const { device } = granted(await calls.addDevice({ ...acme, email: BOB, ...aDevice() }, OPERATOR));
  const exported = granted(await calls.exportDevices({ ...acme, limit: 1 }, OPERATOR));
  granted(await calls.exportDevices({ ...acme, limit: 1, after: exported.next ?? '1 1' }, OPERATOR));
  const ear = { id: device.id, channels: ['alerts'] };
  granted(await calls.unsubscribeDevice(ear, OPERATOR));
  granted(await calls.subscribeDevice(ear, OPERATOR));
  granted(await calls.moveDevice({ id: device.id, email: ADA }, OPERATOR));
  const tested = { id: device.id, uuid: '0192f0c1-2b3c-7def-8abc-0123456789ab' };
  const { event } = granted(await calls.testDevice({ ...tested }, OPERATOR));
  granted(await calls.cancelEvent({ publicId: event.public_id }, OPERATOR));
  granted(await calls.cancelEvent({ publicId: event.public_id }, OPERATOR));
  granted(await calls.continueCancel({ publicId: event.public_id }, OPERATOR));
  const { event: expired } = await world.accept();
  await calls.expireOverdue({ wallMs: NOW_MS + DAY_MS, steadyMs: NOW_MS + DAY_MS });
  granted(await calls.resendEvent({ publicId: expired.public_id }, OPERATOR));
  granted(await calls.continueResend({ publicId: expired.public_id }, OPERATOR));
  granted(await calls.repostEvent({ publicId: expired.public_id, uuid: v7() }, OPERATOR));
  granted(await calls.removeDevice({ id: device.id }, OPERATOR));
  const place = { importId: 'i', ...acme, email: BOB };
  granted(await calls.stageImport({ ...place, lines: linesOf([aDevice()]) }, OPERATOR));
  granted(await calls.commitImport({ ...place }, OPERATOR));
  granted(await calls.registerImported({ ...place }, OPERATOR));
  await calls.dropImport({ importId: 'i' }, OPERATOR);
  granted(await calls.removeMember({ ...acme, email: BOB }, OPERATOR));
}
