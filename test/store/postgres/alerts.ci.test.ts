import * as assert from 'uvu/assert';
import { isRefusal } from '../../../src/store/calls.ts';
import { retryingConflicts } from '../../../src/store/postgres/errors.ts';
import { INSISTING } from '../../support/alerts.ts';
import { aCluster, nodeTests, PATIENT } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('alerts');

/** Two nodes over a store whose channel `alerts` insists. */
async function twoInsisting() {
  const cluster = await aCluster(2, { devices: { ios: 1 } }, PATIENT);
  const insist = { repeat: 60, until: 3_000 };
  granted(await cluster.nodes[0].calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
  return cluster;
}

test('one of 200 racing posts over two nodes opens an alert, and 200 racing acknowledgements have one name', async () => {
  const { nodes, workspaceId } = await twoInsisting();
  const post = (n: number) => nodes[n % 2 === 0 ? 0 : 1].calls.acceptEvent(anEvent(workspaceId, INSISTING));
  const posted = await Promise.all(Array.from({ length: 200 }, (_, n) => post(n)));
  assert.ok(posted.every(({ kind }) => kind === 'accepted'));
  assert.is(await nodes[0].value('SELECT count(*) FROM alert'), 1);
  const [alert] = granted(await nodes[0].calls.listAlerts({ workspace: 'acme', limit: 10 })).alerts;
  const publicId = alert?.id ?? '';
  const acknowledge = (n: number) =>
    nodes[n % 2 === 0 ? 0 : 1].calls.acknowledgeAlert(
      { publicId },
      { kind: 'operator', name: `operator ${n}`, address: null },
    );
  const answers = (await Promise.all(Array.from({ length: 200 }, (_, n) => acknowledge(n)))).map(granted);
  assert.is(answers.filter(({ acknowledged }) => acknowledged === 1).length, 1);
  assert.is(new Set(answers.map((answer) => answer.alert.acknowledged_by)).size, 1);
});

test('a round that both nodes begin at the same time is made once', async () => {
  const { nodes, workspaceId } = await twoInsisting();
  await nodes[0].calls.acceptEvent(anEvent(workspaceId, INSISTING));
  for (const round of [1, 2, 3]) {
    await nodes[0].execute('UPDATE insisting SET next_at = next_at - 60000');
    await Promise.all(nodes.flatMap(({ calls }) => [1, 2].map(() => calls.runRound({}))));
    assert.is(await nodes[1].value("SELECT count(*) FROM event WHERE kind = 'reminder'"), round);
  }
});

test('an alert that is reopened while an event with its key is posted lives alone: the event joins it, or the call is refused', async () => {
  const { nodes, workspaceId } = await twoInsisting();
  const post = (level: 'error' | 'success') =>
    nodes[0].calls.acceptEvent(anEvent(workspaceId, { ...INSISTING, level }));
  for (let round = 0; round < 10; round += 1) {
    const opened = await post('error');
    await post('success');
    const publicId = opened.kind === 'accepted' ? opened.event.public_id : '';
    const [reopened] = await Promise.all([nodes[1].calls.reopenAlert({ publicId }), post('error')]);
    assert.ok(!isRefusal(reopened) || reopened.code === 'alert_lives' || reopened.code === 'not_reopened');
    assert.is(await nodes[0].value("SELECT count(*) FROM alert WHERE state = 'open'"), 1);
    await post('success');
  }
});

test('posts that open and join alerts while rounds are made all succeed', async () => {
  const { nodes, workspaceId } = await twoInsisting();
  const work: Promise<unknown>[] = [];
  for (let n = 0; n < 60; n += 1) {
    const { calls, execute } = nodes[n % 2 === 0 ? 0 : 1];
    const collapseKey = n % 3 === 0 ? null : `disk ${n % 5}`;
    work.push(calls.acceptEvent(anEvent(workspaceId, { ...INSISTING, collapseKey })));
    // The database may end any of the statements in a deadlock. The product begins its own again, by the same function.
    if (n % 10 === 0) work.push(retryingConflicts(() => execute('UPDATE insisting SET next_at = 0')));
    if (n % 5 === 0) work.push(calls.runRound({}));
  }
  await Promise.all(work);
  assert.is(await nodes[0].value("SELECT count(*) FROM alert WHERE state = 'open'"), 25);
  assert.is(await nodes[0].value('SELECT count(*) FROM insisting'), 1);
});

test.run();
