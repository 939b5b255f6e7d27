import { v7 } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Actor } from '../../../src/store/calls.ts';
import { openStore } from '../../../src/store/carriers/socket-or-in-process.ts';
import { serveSocket } from '../../../src/store/carriers/socket-server.ts';
import { openStoreThread } from '../../../src/store/carriers/thread-client.ts';
import { socketPath } from '../../../src/store/sqlite/files/folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Opened } from '../../support/opened.ts';
import { BOB, hashOf, idOf, OPERATOR, signIn } from '../../support/people.ts';
import { someSettings } from '../../support/store.ts';
import { aDevice, aWorld, EMAIL, granted, linesOf, NOW_MS, refused, type World } from '../../support/world.ts';

const ANA: Actor = {
  kind: 'user',
  name: EMAIL,
  address: '192.0.2.7',
  session: hashOf('laptop'),
  manages: null,
};
const KEY = { id: 'k'.repeat(12), secretHash: 'ab'.repeat(32), scopes: ['events:write'], wallMs: NOW_MS } as const;

const DAY_MS = 86_400_000;

const test = suite('audit');

test('a change tells who, what, when, and from where', () => {
  const world = aWorld();
  signIn(world, 'laptop');
  granted(world.calls.issueKey({ workspace: 'acme', name: 'ci', ...KEY }, ANA));
  assert.equal(granted(world.calls.listAudit({ limit: 5 })), {
    entries: [
      {
        at: '2026-11-21T09:30:00.123+00:00',
        actor: { kind: 'user', name: EMAIL, address: '192.0.2.7' },
        action: 'key.issue',
        workspace: 'acme',
        object: 'kkkkkkkkkkkk "ci"',
      },
    ],
    next: null,
  });
});

test("what was refused, or done in nobody's name, leaves no entry", () => {
  const world = aWorld();
  signIn(world, 'laptop');
  refused(world.calls.createChannel({ workspace: 'acme', slug: 'deploys', wallMs: NOW_MS }, ANA));
  refused(world.calls.revokeKey({ id: 'unknown', wallMs: NOW_MS }, ANA));
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }));
  world.calls.listWorkspaces({}, ANA);
  assert.is(world.countRows('audit'), 0);
});

test('a change and its entry are one: what cannot be written to the log is not done', () => {
  const world = aWorld();
  const nobody = { ...OPERATOR, name: null } as unknown as Actor;
  assert.throws(() => world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }, nobody));
  assert.is(world.countRows('channel'), 1);
});

test('every change has its words', () => {
  const world = aWorld();
  everyChange(world);
  const { entries } = granted(world.calls.listAudit({ limit: 100 }));
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

test('a rotation that takes the place of an earlier one tells which key it revoked', () => {
  const world = aWorld();
  signIn(world, 'laptop');
  granted(world.calls.issueKey({ workspace: 'acme', name: 'ci', ...KEY }, ANA));
  for (const [newId, again] of [
    ['first', false],
    ['second', true],
  ] as const) {
    const secretHash = hashOf(newId);
    granted(world.calls.rotateKey({ id: KEY.id, newId, secretHash, graceMs: 1_000, again, wallMs: NOW_MS }, ANA));
  }
  const { entries } = granted(world.calls.listAudit({ limit: 2 }));
  assert.equal(
    entries.map(({ object }) => object),
    ['kkkkkkkkkkkk to second "ci", first revoked', 'kkkkkkkkkkkk to first "ci"'],
  );
});

test('no secret and no token comes into the log', () => {
  const world = aWorld();
  everyChange(world);
  const log = JSON.stringify(granted(world.calls.listAudit({ limit: 100 })));
  for (const secret of ['ab'.repeat(32), 'cd'.repeat(32), hashOf('code'), hashOf('phone'), 'scrypt$']) {
    assert.not.ok(log.includes(secret), secret);
  }
});

test('the log is read newest first, page by page, of all workspaces or of one, which may be gone', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  for (const slug of ['a', 'b', 'c']) {
    for (const workspace of ['acme', 'umbrella']) {
      granted(world.calls.createChannel({ workspace, slug, wallMs: NOW_MS }, OPERATOR));
    }
  }
  granted(world.calls.deleteWorkspace({ slug: 'umbrella' }, OPERATOR));
  const first = granted(world.calls.listAudit({ workspace: 'umbrella', limit: 2 }));
  const second = granted(world.calls.listAudit({ workspace: 'umbrella', limit: 2, before: String(first.next) }));
  assert.equal(
    [...first.entries, ...second.entries].map(({ object }) => object),
    ['umbrella', 'c', 'b', 'a'],
  );
  assert.is(second.next, null);
  assert.is(granted(world.calls.listAudit({ limit: 100 })).entries.length, 7);
  assert.is(refused(world.calls.listAudit({ limit: 1, before: 'yesterday' })).field, 'before');
});

test('the command line signs its changes, through a running server as well as without one', async () => {
  await using opened = new Opened();
  const dataDir = temporaryFolder();
  const options = { dataDir, settings: someSettings(), version: '1', sign: () => OPERATOR, mayCreate: true };
  const alone = await openStore(options);
  granted(await alone.createWorkspace({ slug: 'alone' }));
  await alone.close();
  const thread = opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  opened.add(await serveSocket({ path: socketPath(dataDir), store: thread, version: '1' }));
  const through = opened.add(await openStore(options));
  granted(await through.createWorkspace({ slug: 'through' }));
  const { entries } = granted(await through.listAudit({ limit: 5 }));
  assert.equal(
    entries.map(({ object, actor }) => [object, actor.name]),
    [
      ['through', 'root'],
      ['alone', 'root'],
    ],
  );
});

test.run();

function everyChange(world: World): void {
  const { calls } = world;
  signIn(world, 'laptop');
  const time = { wallMs: NOW_MS, steadyMs: NOW_MS };
  const acme = { workspace: 'acme' } as const;
  granted(calls.setPlan({ name: 'small', monthlyEvents: 10 }, OPERATOR));
  granted(calls.createWorkspace({ slug: 'umbrella', ...time }, OPERATOR));
  granted(calls.renameWorkspace({ slug: 'umbrella', name: 'Umbrella Ltd' }, OPERATOR));
  granted(calls.setWorkspacePlan({ slug: 'umbrella', plan: 'small' }, OPERATOR));
  granted(calls.setWorkspaceStatus({ slug: 'umbrella', status: 'suspended' }, OPERATOR));
  granted(calls.setWorkspaceStatus({ slug: 'umbrella', status: 'active' }, OPERATOR));
  granted(calls.deleteWorkspace({ slug: 'umbrella' }, OPERATOR));
  granted(calls.createChannel({ ...acme, slug: 'alerts', ...time }, ANA));
  granted(calls.updateChannel({ ...acme, slug: 'alerts', status: 'inactive' }, ANA));
  granted(calls.deleteChannel({ ...acme, slug: 'alerts' }, OPERATOR));
  granted(calls.issueKey({ ...acme, ...KEY }, ANA));
  const rotation = { id: KEY.id, newId: 'n'.repeat(12), secretHash: 'cd'.repeat(32), graceMs: 0 };
  granted(calls.rotateKey({ ...rotation, ...time }, ANA));
  granted(calls.revokeKey({ id: KEY.id, ...time }, ANA));
  granted(calls.addMember({ ...acme, email: BOB, role: 'member', ...time }, OPERATOR));
  granted(calls.renameUser({ email: BOB, name: 'Bob' }, OPERATOR));
  granted(calls.setMemberRole({ ...acme, email: BOB, role: 'admin', askedBy: idOf(world) }, ANA));
  granted(calls.createPairingCode({ email: BOB, codeHash: hashOf('code'), lifeMs: 0 }, OPERATOR));
  granted(calls.setPassword({ email: BOB, password: 'scrypt$1' }, OPERATOR));
  const own = { userId: idOf(world, BOB), tokenHash: hashOf('phone'), current: 'scrypt$1', password: 'scrypt$2' };
  granted(calls.changePassword(own, ANA));
  granted(calls.closeSessions({ email: BOB }, OPERATOR));
  const { device } = granted(calls.addDevice({ ...acme, email: BOB, ...aDevice(), ...time }, OPERATOR));
  const exported = granted(calls.exportDevices({ ...acme, limit: 1 }, OPERATOR));
  granted(calls.exportDevices({ ...acme, limit: 1, after: exported.next ?? '1 1' }, OPERATOR));
  const ear = { id: device.id, channels: ['deploys'] };
  granted(calls.unsubscribeDevice(ear, OPERATOR));
  granted(calls.subscribeDevice(ear, OPERATOR));
  granted(calls.moveDevice({ id: device.id, email: EMAIL }, OPERATOR));
  const tested = { id: device.id, uuid: '0192f0c1-2b3c-7def-8abc-0123456789ab' };
  const { event } = granted(calls.testDevice({ ...tested, ...time }, OPERATOR));
  granted(calls.cancelEvent({ publicId: event.public_id, ...time }, OPERATOR));
  granted(calls.cancelEvent({ publicId: event.public_id, ...time }, OPERATOR));
  granted(calls.continueCancel({ publicId: event.public_id, ...time }, OPERATOR));
  const { event: expired } = world.accept();
  calls.expireOverdue({ wallMs: NOW_MS + DAY_MS, steadyMs: NOW_MS + DAY_MS });
  granted(calls.resendEvent({ publicId: expired.public_id, ...time }, OPERATOR));
  granted(calls.continueResend({ publicId: expired.public_id, ...time }, OPERATOR));
  granted(calls.repostEvent({ publicId: expired.public_id, uuid: v7(), ...time }, OPERATOR));
  granted(calls.removeDevice({ id: device.id }, OPERATOR));
  const place = { importId: 'i', ...acme, email: BOB };
  granted(calls.stageImport({ ...place, lines: linesOf([aDevice()]), ...time }, OPERATOR));
  granted(calls.commitImport({ ...place, ...time }, OPERATOR));
  granted(calls.registerImported({ ...place, ...time }, OPERATOR));
  calls.dropImport({ importId: 'i' }, OPERATOR);
  granted(calls.removeMember({ ...acme, email: BOB }, OPERATOR));
}
