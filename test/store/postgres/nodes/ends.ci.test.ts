import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenClaim } from '../../../../src/delivery/open-claims.ts';
import { openPostgres } from '../../../../src/store/postgres/engine.ts';
import { BOB } from '../../../support/cast.ts';
import { granted } from '../../../support/refusals.ts';
import { aSender, aSendingScene, LANE, type SendingScene, somethingOut } from '../../../support/sending-scene.ts';
import { someSettings } from '../../../support/store.ts';
import { until } from '../../../support/until.ts';
import { userIdOf } from '../../../support/workspace.ts';

const test = suite('ends on PostgreSQL');

type Change = (scene: SendingScene, deviceId: string, publicId: string) => Promise<unknown>;

/** Each way in which the right to a push ends, and whose pushes of two devices are concerned. */
const CHANGES: Readonly<Record<string, readonly [Change, readonly number[]]>> = {
  'a device is removed': [({ changing }, id) => changing.calls.removeDevice({ id }), [1, 0]],
  'a device is unsubscribed': [
    async ({ changing: { calls } }, deviceId) =>
      calls.unsubscribe({ userId: await userIdOf(calls, BOB), deviceId, workspace: 'acme', channel: 'alerts' }),
    [1, 0],
  ],
  'a workspace is suspended': [
    ({ changing }) => changing.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }),
    [1, 1],
  ],
  'a workspace is deleted': [({ changing }) => changing.calls.deleteWorkspace({ slug: 'acme' }), [1, 1]],
  'a channel is deleted': [
    ({ changing }) => changing.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }),
    [1, 1],
  ],
  'a member is removed': [({ changing }) => changing.calls.removeMember({ workspace: 'acme', email: BOB }), [1, 0]],
  'an event is cancelled': [(scene, _, publicId) => scene.changing.calls.cancelEvent({ publicId }), [1, 1]],
};

for (const [name, [change, recalled]] of Object.entries(CHANGES)) {
  test(`Once it is answered at one node that ${name}, the other has recalled what it has out`, async () => {
    await using scene = await aSendingScene();
    const { deviceId, publicId } = await somethingOut(scene);
    const [claim] = await scene.sending.claim();
    granted(await change(scene, deviceId, publicId));
    assert.equal([...(claim?.revoked ?? [])], recalled);
  });
}

test('A command, which is no node, is answered once every node has recalled what it has out', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  const [claim] = await scene.sending.claim();
  const command = await openPostgres({ url: scene.url, settings: someSettings() });
  await command.ask({ name: 'removeDevice', args: { id: deviceId } });
  assert.equal([...(claim?.revoked ?? [])], [1, 0]);
  await command.close();
});

test('A push that is being claimed while its device is removed at another node is recalled as it is handed out', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  const { openClaims, calls } = scene.sending;
  const { claims } = await openClaims.ask(async () => {
    const answer = await calls.claimBatches(LANE);
    await scene.changing.calls.removeDevice({ id: deviceId });
    return answer;
  });
  assert.equal([...(claims[0]?.revoked ?? [])], [1, 0]);
});

test('A node that joins and claims while a change is under way has recalled what that ends once it is answered', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  const { connections } = scene.changing.store;
  await connections.lend(({ execute }) =>
    execute(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM 1 FROM held FOR SHARE; RETURN NULL; END $$;
      CREATE TABLE held AS SELECT 1 AS one;
      CREATE TRIGGER waits AFTER INSERT ON told_end FOR EACH ROW EXECUTE FUNCTION wait_for_test()`),
  );
  const late: { removal?: Promise<unknown>; claim?: OpenClaim | undefined } = {};
  await connections.transaction('write', async ({ execute, sql }) => {
    await execute('SELECT 1 FROM held FOR UPDATE');
    late.removal = scene.changing.calls.removeDevice({ id: deviceId });
    const waiting = sql.value<object, number>('SELECT count(*) FROM pg_locks WHERE NOT granted');
    await until('the removal waits', async () => ((await waiting({})) ?? 0) > 0);
    const joining = await aSender(scene.opened, { url: scene.url, node: 'late' });
    [late.claim] = await joining.claim();
    assert.equal([...(late.claim?.revoked ?? [])], [0, 0]);
  });
  await late.removal;
  assert.equal([...(late.claim?.revoked ?? [])], [1, 0]);
});

test('A node that hears no notices recalls what it has out all the same', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  const deaf = await aSender(scene.opened, { url: scene.url, node: 'deaf', listenUrl: 'postgres://localhost:1/none' });
  const [claim] = await deaf.claim();
  await scene.changing.calls.removeDevice({ id: deviceId });
  assert.equal([...(claim?.revoked ?? [])], [1, 0]);
  assert.not(deaf.store.lease.isOver);
});

test('A revocation is forgotten once every node has recalled what it revokes', async () => {
  await using scene = await aSendingScene();
  const { deviceId } = await somethingOut(scene);
  await scene.changing.calls.removeDevice({ id: deviceId });
  const left = await scene.changing.value('SELECT count(*) FROM told_end');
  assert.is(left, 0);
});

test.run();
