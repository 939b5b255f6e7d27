import * as assert from 'uvu/assert';
import { readStoredStatus } from '../../../src/store/postgres/offline.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver, nodeTests } from '../../support/postgres-nodes.ts';
import { aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('PostgreSQL: what the database knows');

test('The queue by lane with its oldest event, the hour of the last acceptance, and what is set aside', async () => {
  const url = await temporarySchema();
  assert.is(await readStoredStatus(url), null);
  const [node] = await nodesOver(url, 1);
  assert.ok(node);
  const { addDevice, accept } = await aWorkspace(node.calls, { workspace: 'acme' });
  await addDevice({ platform: 'android', token: 'f'.repeat(40), subscribe: ['alerts'] });
  await accept();
  const { claims } = await node.calls.claimBatches({ route: 'fcm', lane: 'standard', limit: 5, batchSize: 5 });
  const verdicts = [{ index: 0, linksLost: false, verdict: { state: 'accepted' }, fitted: false }] as const;
  await node.calls.settleBatch({ claimId: claims[0]?.claimId ?? '', verdicts });
  const { event } = await accept();

  const known = await readStoredStatus(url);
  assert.equal([known?.queue[1]?.waiting, known?.queue[1]?.deferred], [1, 0]);
  assert.is(known?.queue[1]?.oldest_at, event.received_at);
  assert.equal(Object.keys(known?.acceptedHours ?? {}), ['fcm']);
  assert.equal([known?.deadLetter, known?.lastBackup], [null, null]);

  await node.execute(`INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
             SELECT id, 'fcm', 'standard', workspace_id, 1, 'TypeError: x' FROM event ORDER BY id DESC LIMIT 1`);
  const deadLetter = { publicId: event.public_id, route: 'fcm', reason: 'TypeError: x', count: 1 };
  assert.equal((await readStoredStatus(url))?.deadLetter, deadLetter);
  await node.store.close();
});

test.run();
