import * as assert from 'uvu/assert';
import type { WebhookKind } from '../../../src/contract/webhooks.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { untilIs } from '../../support/until.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('PostgreSQL: webhooks that are deleted while something happens');

test('A post that opens an alert while a webhook is being deleted is accepted', async () => {
  await using scene = await aHook('alert.opened');
  const { node, workspaceId } = scene;
  granted(await node.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 120, until: 3_600 } }));
  const alarming = anEvent(workspaceId, { level: 'error', urgency: 'time_sensitive' });
  const { kind } = await scene.whileDeleted(() => node.calls.acceptEvent(alarming));
  assert.is(kind, 'accepted');
});

test('A push that settles its event while a webhook is being deleted is settled', async () => {
  await using scene = await aHook('event.settled');
  const { node, workspaceId } = scene;
  await node.calls.acceptEvent(anEvent(workspaceId));
  const asked = { route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 } as const;
  const [claim] = (await node.calls.claimBatches(asked)).claims;
  const verdicts = [{ index: 0, verdict: { state: 'accepted' }, fitted: false, linksLost: false }] as const;
  const { finished } = await scene.whileDeleted(() =>
    node.calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts }),
  );
  assert.is(finished.length, 1);
});

test.run();

async function aHook(kind: WebhookKind) {
  const opened = new Resources();
  const [node, other] = (await nodesOver(await temporarySchema(), 2)) as [TestNode, TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: 1 } });
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const url = 'https://hooks.example.com/in';
  granted(await node.calls.createWebhook({ workspace: 'acme', url, kinds: [kind], secret }));

  /** Begins once the webhook is deleted, which is committed once that waits. */
  async function whileDeleted<T>(work: () => Promise<T>): Promise<T> {
    const done = await other.store.connections.transaction('write', async ({ sql }) => {
      await sql.run<object>('DELETE FROM webhook')({});
      const own = await sql.value<object, number>('SELECT pg_backend_pid()')({});
      const waiting = sql.value<object, number>(
        'SELECT count(*) FROM pg_stat_activity WHERE :own = ANY (pg_blocking_pids(pid))',
      );
      const working = work();
      working.catch(() => {});
      await untilIs('it waits', () => waiting({ own }), 1);
      return { working };
    });
    return done.working;
  }
  return { node, workspaceId, whileDeleted, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
