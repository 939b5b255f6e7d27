import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/store/calls.ts';
import { aCluster, aNode, nodeTests } from '../../support/postgres-nodes.ts';
import { untilIs } from '../../support/until.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('events that are answered too late');
/** More than a group, so that some wait for those that are with the database. */
const EVENTS = 1_100;

test('An event whose sender was refused for want of an answer in time is not accepted later on', async () => {
  const { url, nodes, workspaceId } = await aCluster(1, { devices: { ios: 1 } });
  const [{ value }] = nodes;
  const hasty = await aNode({ url, node: 'hasty', answerWithinMs: 1_000 });
  const { store: stranger } = await aNode({ url, node: 'stranger' });
  await stranger.connections.transaction('long write', async ({ execute }) => {
    await execute('LOCK TABLE event');
    const asked = Array.from({ length: EVENTS }, () => hasty.calls.acceptEvent(anEvent(workspaceId)));
    const outcomes = await Promise.allSettled(asked);
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable));
  });
  const locks = "SELECT count(*) FROM pg_locks WHERE relation = 'event'::regclass";
  await untilIs('no connection works on it any more', () => value(locks), 0);
  assert.is(await value('SELECT count(*) FROM event'), 0);
  assert.is((await hasty.calls.acceptEvent(anEvent(workspaceId))).kind, 'accepted');
});

test('No lock is waited for longer than the sender waits for an answer', async () => {
  const { url, nodes, workspaceId } = await aCluster(1, { devices: { ios: 1 } });
  const [patient] = nodes;
  const hasty = await aNode({ url, node: 'hasty', answerWithinMs: 1_000 });
  const { store: stranger } = await aNode({ url, node: 'stranger' });
  await stranger.connections
    .transaction('long write', async ({ execute, sql }) => {
      await execute('LOCK TABLE event');
      const waiting = sql.value<object, number>(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass",
      );
      let isPatientAnswered = false;
      const posted = patient.calls
        .acceptEvent(anEvent(workspaceId))
        .catch(() => {})
        .finally(() => {
          isPatientAnswered = true;
        });
      await untilIs('the patient one waits', () => waiting({}), 1);
      await hasty.calls.acceptEvent(anEvent(workspaceId)).catch((error) => assert.instance(error, StoreUnavailable));
      await untilIs('the hasty one waits no longer', () => waiting({}), 1);
      assert.not.ok(isPatientAnswered);
      return { posted };
    })
    .then(({ posted }) => posted);
});

test.run();
