import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenClaim } from '../../../../src/delivery/open-claims.ts';
import { openPostgres } from '../../../../src/store/postgres/engine.ts';
import { granted } from '../../../support/refusals.ts';
import { aSender, aSendingScene, ENDS, LANE, somethingOut } from '../../../support/sending-scene.ts';
import { someSettings } from '../../../support/store.ts';
import { until } from '../../../support/until.ts';

for (const [name, [change, recalled]] of Object.entries(ENDS)) {
  test(`Once it is answered at one node that ${name}, the other has recalled what it has out`, async () => {
    await using scene = await aSendingScene();
    const ids = await somethingOut(scene);
    const [claim] = await scene.sending.claim();
    granted(await change(scene.changing.calls, ids));
    assert.equal([...(claim?.revoked ?? [])], recalled);
  });
}

test('A command is no node and gets its answer once every node has recalled its claims', async () => {
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
      CREATE TRIGGER waits AFTER INSERT ON revocation FOR EACH ROW EXECUTE FUNCTION wait_for_test()`),
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
  const left = await scene.changing.value('SELECT count(*) FROM revocation');
  assert.is(left, 0);
});

test.run();
