import * as assert from 'uvu/assert';
import type { Claim, Revocation } from '../../../src/store/calls.ts';
import { bucketOf } from '../../../src/values/histogram.ts';
import { aCluster, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { until } from '../../support/until.ts';

const test = nodeTests('the queue on PostgreSQL');
const LANE = { route: 'apns_production', lane: 'standard', batchSize: 10 } as const;

test('Nodes that claim at the same time hand out each push once, and name an event that ends once', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 40 } });
  const [, ...others] = await Promise.all(Array.from({ length: 30 }, () => post()));
  const claimed: Claim[] = [];
  const finished: string[] = [];
  await Promise.all(
    nodes.map(async ({ calls }) => {
      for (;;) {
        const { claims } = await calls.claimBatches({ ...LANE, limit: 50 });
        if (claims.length === 0) return;
        claimed.push(...claims);
        for (const claim of claims) finished.push(...(await calls.settleBatch(accepted(claim))).finished);
      }
    }),
  );
  const pushes = claimed.flatMap(({ events, targets }) =>
    targets.map(({ event, deviceId }) => `${events[event]?.eventId} ${deviceId}`),
  );
  assert.is(pushes.length, 1_200);
  assert.is(new Set(pushes).size, 1_200);
  assert.is(finished.length, 30);
  assert.is(new Set(finished).size, 30);
  const shown = granted(await nodes[0].calls.showEvent({ publicId: others[0] ?? '', limit: 1 }));
  assert.equal([shown.event.deliveries.accepted, shown.event.deliveries.pending], [40, 0]);
  assert.is(await nodes[0].value('SELECT count(*) FROM fan_out'), 0);
});

test('Expired pushes are found by their time, and passed over if they cannot end', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 1 } });
  const [{ calls, store }] = nodes;
  const publicId = await post();
  await store.connections.transaction('long write', ({ execute }) => execute(BACKLOG));
  const plan = await store.connections.lend(({ sql }) =>
    sql.value<object, readonly [{ readonly Plan: Readonly<Record<string, number>> }]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
       SELECT * FROM overdue_events(0, 0, 200, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
    )({}),
  );
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = plan?.[0].Plan ?? {};
  assert.ok(hit + read > 0 && hit + read < 2_000, `${hit + read} pages`);
  // Another node owns 300 that are over, and none owns the last one.
  await store.connections.lend(({ execute }) => execute(OVER_BUT_OUT));
  await store.connections.lend(({ sql }) =>
    sql.run(`UPDATE event SET expires_at = 2 WHERE id = (SELECT min(id) FROM event)`)({}),
  );
  const finished: string[] = [];
  for (let more = true; more; ) {
    const swept = await calls.expireOverdue({});
    finished.push(...swept.finished);
    more = swept.more;
  }
  assert.equal(finished, [publicId]);
});

test('A push that is settled while its event is being resent is counted once', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 2 } });
  const [{ calls, store }] = nodes;
  const publicId = await post();
  const verdict = { state: 'failed', reason: 'PayloadEmpty' } as const;
  for (const { claimId, targets } of (await calls.claimBatches({ ...LANE, limit: 50 })).claims) {
    const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
    await calls.settleBatch({ claimId, verdicts });
  }
  await store.connections.lend(({ execute }) => execute(SETTLED_MEANWHILE));
  const { resent, event } = granted(await calls.resendEvent({ publicId }));
  assert.equal([resent, event.deliveries.failed, event.deliveries.pending], [2, 0, 2]);
});

test('The pushes of a node that stops go to the others, without those that it had settled', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 20 } });
  await post();
  const [leaving, staying] = nodes;
  const [first, second] = (await leaving.calls.claimBatches({ ...LANE, limit: 20 })).claims;
  assert.ok(first && second);
  await leaving.calls.settleBatch(accepted(first));
  assert.equal((await staying.calls.claimBatches({ ...LANE, limit: 20 })).claims, []);
  await leaving.store.close();
  const again = (await staying.calls.claimBatches({ ...LANE, limit: 20 })).claims;
  assert.equal(
    again.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId)),
    second.targets.map(({ deviceId }) => deviceId),
  );
  await staying.store.close();
});

test('The pushes of a node whose lease is over go to the others, and the node starts fresh once it is back', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 10 } });
  const publicId = await post();
  const [dead, living] = nodes;
  const revoked: Revocation[] = [];
  dead.store.onRevocations((ends) => void revoked.push(...ends));
  const [lost] = (await dead.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.ok(lost);
  await living.execute(`UPDATE node SET lease_end = 0 WHERE name = 'node-1'`);
  const taken: Claim[] = [];
  await until('the other node has evicted it', async () => {
    taken.push(...(await living.calls.claimBatches({ ...LANE, limit: 10 })).claims);
    return taken.length > 0;
  });
  assert.equal(
    taken.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId)),
    lost.targets.map(({ deviceId }) => deviceId),
  );
  assert.equal(await dead.calls.settleBatch(accepted(lost)), { finished: [] });
  await dead.calls.claimBatches({ ...LANE, limit: 10 });
  const any = { workspaceId: null, deviceId: null, channelId: null, eventId: null };
  assert.equal(revoked.at(-1), { ...any, upTo: Number.MAX_SAFE_INTEGER });
  const finished = await Promise.all(taken.map((claim) => living.calls.settleBatch(accepted(claim))));
  assert.equal(finished, [{ finished: [publicId] }]);
  assert.is(await living.value('SELECT count(*) FROM node'), 2);
});

test('Nothing is recorded of a claim that has gone to another node', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 10 } });
  const publicId = await post();
  const [slow, fast] = nodes;
  const [old] = (await slow.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.ok(old);
  await slow.store.connections.lend(({ sql }) => sql.run<object>('UPDATE fan_out SET owner = NULL')({}));
  const [taken] = (await fast.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.ok(taken);
  assert.equal(await slow.calls.settleBatch(accepted(old)), { finished: [] });
  assert.equal((await deliveriesOf(slow, publicId)).accepted, 0);
  assert.equal(await fast.calls.settleBatch(accepted(taken)), { finished: [publicId] });
  assert.equal((await deliveriesOf(slow, publicId)).accepted, 10);
});

test('A deferred push is claimed by one node, and again by that node once it is given back', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 1 } });
  await post();
  const [node, other] = nodes;
  const [claim] = (await node.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.ok(claim);
  const later = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
  await node.calls.settleBatch({
    claimId: claim.claimId,
    verdicts: [{ index: 0, verdict: later, fitted: false, linksLost: false }],
  });
  const claims = (await Promise.all(nodes.map(({ calls }) => calls.claimBatches({ ...LANE, limit: 10 })))).map(
    (answer) => answer.claims,
  );
  assert.is(claims.flat().length, 1);
  const [holder, idle] = claims[0]?.length === 1 ? [node, other] : [other, node];
  await holder.calls.releaseBatch({ claimId: claims.flat()[0]?.claimId ?? '' });
  assert.equal((await idle.calls.claimBatches({ ...LANE, limit: 10 })).claims, []);
  const [again] = (await holder.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.is(again?.targets[0]?.attempts, 1);
});

test('If a node had settled a page in part, the others get the rest', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 10 } });
  const publicId = await post();
  const [leaving, staying] = nodes;
  const [first] = (await leaving.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.ok(first);
  const { claimId, verdicts } = accepted(first);
  await leaving.calls.settleBatch({ claimId, verdicts: verdicts.filter(({ index }) => index % 2 === 0) });
  await leaving.store.close();
  const [rest] = (await staying.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.equal(
    rest?.targets.map(({ deviceId }) => deviceId),
    first.targets.filter((_, index) => index % 2 === 1).map(({ deviceId }) => deviceId),
  );
  assert.equal(await staying.calls.settleBatch(accepted(rest as Claim)), { finished: [publicId] });
  assert.equal((await deliveriesOf(staying, publicId)).accepted, 10);
});

test('If a returned page is too large for a claim, it is cut again', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 10 } });
  const publicId = await post();
  const [{ calls }] = nodes;
  const [all] = (await calls.claimBatches({ ...LANE, limit: 10 })).claims;
  await calls.releaseBatch({ claimId: all?.claimId ?? '' });
  const [probe] = (await calls.claimBatches({ ...LANE, limit: 1 })).claims;
  const [rest] = (await calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.equal(
    [probe, rest].map((claim) => claim?.targets.map(({ deviceId }) => deviceId)),
    [all?.targets.slice(0, 1), all?.targets.slice(1)].map((targets) => targets?.map(({ deviceId }) => deviceId)),
  );
  await calls.settleBatch(accepted(probe as Claim));
  assert.equal(await calls.settleBatch(accepted(rest as Claim)), { finished: [publicId] });
});

test('A claim that meets rows locked by another is to be made again soon', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 1 } });
  await post();
  const [{ calls, store }] = nodes;
  const { claims, nextDueInMs } = await store.connections.transaction('write', async ({ execute }) => {
    await execute('SELECT * FROM fan_out FOR UPDATE');
    return calls.claimBatches({ ...LANE, limit: 10 });
  });
  assert.equal(claims, []);
  assert.ok(nextDueInMs !== null && nextDueInMs < 100);
  assert.is((await calls.claimBatches({ ...LANE, limit: 10 })).claims.length, 1);
});

test('An event with links is sent by the node that holds them, and without them by the others once it is gone', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 3 } });
  await post({ hadLinks: true });
  const [home, other] = nodes;
  const nothing = { claims: [], nextDueInMs: null, finished: [] };
  assert.equal(await other.calls.claimBatches({ ...LANE, limit: 10 }), nothing);
  const [claim] = (await home.calls.claimBatches({ ...LANE, limit: 10 })).claims;
  assert.ok(claim);
  const later = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
  const { claimId } = claim;
  await home.calls.settleBatch({ claimId, verdicts: [{ index: 0, verdict: later, fitted: false, linksLost: false }] });
  assert.equal(await other.calls.claimBatches({ ...LANE, limit: 10 }), nothing);
  await home.calls.releaseBatch({ claimId });
  assert.equal(await other.calls.claimBatches({ ...LANE, limit: 10 }), nothing);
  await home.store.close();
  const freed = (await other.calls.claimBatches({ ...LANE, limit: 10 })).claims.flatMap(({ targets }) => targets);
  assert.equal(new Set(freed.map(({ deviceId }) => deviceId)), new Set(claim.targets.map(({ deviceId }) => deviceId)));
  await other.store.close();
});

test('An event with links that comes with a control change has its home, too', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 1 } });
  const [home, other] = nodes;
  await post({ hadLinks: true }, { kind: 'operator', name: 'root', address: null });
  assert.equal((await other.calls.claimBatches({ ...LANE, limit: 10 })).claims, []);
  assert.is((await home.calls.claimBatches({ ...LANE, limit: 10 })).claims.length, 1);
});

test('The database counts a latency in the same bucket as the program', async () => {
  const { nodes } = await aCluster(1, { devices: { ios: 0 } });
  const durations = [-5, 0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 1_000, 1_023, 1_024, 1_025, 65_536, 86_400_000];
  const buckets = await nodes[0].store.connections.lend(({ sql }) =>
    sql.values<object, string>(
      'SELECT latency_bucket(ms) FROM unnest(CAST(:durations AS BIGINT[])) WITH ORDINALITY AS d(ms, nth) ORDER BY nth',
    )({ durations }),
  );
  assert.equal(
    buckets,
    durations.map((ms) => String(bucketOf(ms))),
  );
});

/** The first of two failed pushes is out again, and fails once more while a resend looks at the second. */
const SETTLED_MEANWHILE = `
  UPDATE delivery SET state = 'pending', owner = 0 WHERE device_id = (SELECT min(device_id) FROM delivery);
  UPDATE event SET failed = 1;
  CREATE FUNCTION settle_other() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE delivery SET state = 'failed', owner = NULL WHERE owner = 0;
    UPDATE event SET failed = failed + 1;
    RETURN NULL;
  END $$;
  CREATE TRIGGER other_is_settled AFTER INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION settle_other()`;

/** Events that wait for their first push, and others for another try, for a day. */
const BACKLOG = `
  INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at, expires_at)
  SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), 1, 1, 'x', 'info', 'normal', 0, 1, 0,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 86400000
  FROM generate_series(1, 20000) AS n;
  INSERT INTO fan_out (event_id, route, lane, workspace_id, channel_id, last, targeted, expires_at)
  SELECT id, 'fcm', 'standard', 1, 1, 1, 1, expires_at FROM event WHERE received_at = 0 AND id % 2 = 0;
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
  SELECT id, 1, 1, 'fcm', 'standard', 'pending', 1, 0, expires_at FROM event WHERE received_at = 0 AND id % 2 = 1`;

const OVER_BUT_OUT = `
  UPDATE event SET expires_at = 1 WHERE id IN (SELECT event_id FROM fan_out WHERE route = 'fcm' ORDER BY event_id LIMIT 300);
  UPDATE fan_out SET owner = 99 WHERE expires_at = 1`;

test.run();

function accepted({ claimId, targets }: Claim) {
  const verdict = { state: 'accepted' } as const;
  return { claimId, verdicts: targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false })) };
}

async function deliveriesOf({ calls }: TestNode, publicId: string) {
  return granted(await calls.showEvent({ publicId, limit: 1 })).event.deliveries;
}
