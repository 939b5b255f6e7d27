import * as assert from 'uvu/assert';
import type { Claim } from '../../../src/store/calls.ts';
import { type Connection, type Connections, connectionsTo } from '../../../src/store/postgres/connections.ts';
import { BOB } from '../../support/cast.ts';
import { aCluster, aNode, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { fails } from '../../support/store.ts';
import { until, untilIs } from '../../support/until.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('the work that nodes own');
const LANE = { route: 'apns_production', lane: 'standard', limit: 800, batchSize: 100 } as const;
/** A node works on so many targets of a fan-out at a time. */
const STRETCH = 2_000;
/** A node owns so many new fan-outs. */
const MOST_OWNED = 2_000;

test('Two nodes share an event for more devices than a stretch, each push goes out once, and the event ends once', async () => {
  const devices = 2 * STRETCH + 500;
  const { nodes, post } = await aCluster(2, { devices: { ios: 0 } });
  await addDevices(nodes[0], devices);
  const publicId = await post();
  const sent: number[][] = [[], []];
  const finished: string[] = [];
  for (let isLeft = true; isLeft; ) {
    isLeft = false;
    for (const [place, node] of nodes.entries()) {
      const { claims } = await node.calls.claimBatches(LANE);
      isLeft ||= claims.length > 0;
      for (const claim of claims) {
        sent[place]?.push(...claim.targets.map(({ deviceId }) => deviceId));
        finished.push(...(await node.calls.settleBatch(accepted(claim))).finished);
      }
    }
  }
  assert.is(new Set(sent.flat()).size, devices);
  assert.is(sent.flat().length, devices);
  for (const ofNode of sent) assert.ok(ofNode.length >= 500, `${ofNode.length}`);
  assert.equal(finished, [publicId]);
  assert.equal(await deliveriesOf(nodes[0], publicId), [devices, 0, 0]);
  assert.is(await nodes[0].value('SELECT count(*) FROM fan_out'), 0);
});

test('An event in stretches of two nodes is cancelled as a whole, except what is handed out', async () => {
  const devices = 2 * STRETCH + 500;
  const { nodes, post } = await aCluster(2, { devices: { ios: 0 } });
  await addDevices(nodes[0], devices);
  const publicId = await post();
  const [first, second] = nodes;
  const [out] = (await first.calls.claimBatches({ ...LANE, limit: 100 })).claims as [Claim];
  await second.calls.releaseBatch({
    claimId: (await second.calls.claimBatches({ ...LANE, limit: 100 })).claims[0]?.claimId ?? '',
  });
  assert.is(await first.value('SELECT count(*) FROM fan_out WHERE owner IS NOT NULL'), 2);
  granted(await second.calls.cancelEvent({ publicId }));
  assert.equal(await deliveriesOf(first, publicId), [0, STRETCH, devices - STRETCH]);
  await first.calls.settleBatch(accepted(out));
  await first.calls.claimBatches(LANE);
  assert.equal(await deliveriesOf(first, publicId), [100, 0, devices - 100]);
});

test('A cancelled event whose pushes another node owns ends there at once', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 3 } });
  const [owner, other] = nodes;
  await owner.calls.claimBatches(LANE);
  const publicId = await post();
  assert.is(await owner.value('SELECT count(*) FROM fan_out WHERE owner IS NOT NULL'), 1);
  granted(await other.calls.cancelEvent({ publicId }));
  await untilIs('its pushes end', async () => (await deliveriesOf(other, publicId)).join(), '0,0,3');
});

test('A cancellation that is repeated after a conflict ends what its node owns', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 3 } });
  const [owner] = nodes;
  await owner.calls.claimBatches(LANE);
  const publicId = await post();
  await owner.execute(`CREATE SEQUENCE tries; ${failing('serialization_failure', "nextval('tries') = 1")}`);
  assert.is(granted(await owner.calls.cancelEvent({ publicId })).withdrawn, 3);
  assert.is(await owner.value('SELECT last_value FROM tries'), 2);
  assert.equal(await deliveriesOf(owner, publicId), [0, 0, 3]);
  assert.is(await owner.value('SELECT count(*) FROM fan_out'), 0);
});

test('If a cancellation is not stored, what its node owns can be claimed at once', async () => {
  const { nodes, post } = await aCluster(1, { devices: { ios: 3 } });
  const [owner] = nodes;
  await owner.calls.claimBatches(LANE);
  const publicId = await post();
  await owner.execute(failing('disk_full', 'true'));
  await fails(owner.calls.cancelEvent({ publicId }));
  await owner.execute('DROP FUNCTION fail CASCADE');
  assert.is(await claimedBy(owner), 3);
});

test('A node owns what it accepts until it has much, and leaves the rest to others', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 1 } });
  const [owner, other] = nodes;
  await owner.calls.claimBatches(LANE);
  await Promise.all(Array.from({ length: MOST_OWNED }, () => post()));
  assert.equal((await other.calls.claimBatches(LANE)).claims, []);
  await Promise.all(Array.from({ length: 900 }, () => post()));
  assert.ok((await claimedBy(other)) >= 200);
});

test('Pushes that a node owns but does not send are freed in steps, and sent by another node', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 1 } });
  const [owner, other] = nodes;
  await owner.calls.claimBatches(LANE);
  await owner.execute(`
    CREATE TABLE freed (many BIGINT);
    CREATE FUNCTION note_freed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO freed SELECT count(*) FROM come WHERE owner IS NULL;
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_freed AFTER UPDATE ON fan_out REFERENCING NEW TABLE AS come
      FOR EACH STATEMENT EXECUTE FUNCTION note_freed()`);
  await Promise.all(Array.from({ length: 1_200 }, () => post()));
  assert.is(await claimedBy(other), 0);
  let sent = 0;
  await until('all are sent', async () => {
    const { claims } = await other.calls.claimBatches(LANE);
    for (const claim of claims) {
      sent += claim.targets.length;
      await other.calls.settleBatch(accepted(claim));
    }
    return sent === 1_200;
  });
  assert.equal(await owner.value('SELECT json_agg(many ORDER BY many) FROM freed WHERE many > 0'), [200, 500, 500]);
});

test('Pushes of a suspended workspace that a node owns keep no other workspace waiting', async () => {
  const { nodes, workspaceId, addWorkspace } = await aCluster(2, { devices: { ios: 0 } });
  const [owner, other] = nodes;
  await addDevices(owner, STRETCH);
  const another = await addWorkspace('umbrella', { channels: ['alerts'], owner: BOB, devices: { ios: 1 } });
  await other.calls.acceptEvent(anEvent(workspaceId));
  assert.is(await claimedBy(owner), LANE.limit);
  granted(await other.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  await other.calls.acceptEvent(anEvent(another.workspaceId));
  await until('its push is claimed', async () => (await claimedBy(owner)) === 1);
});

test('Events of other workspaces are claimed beside a workspace that fills what a node owns', async () => {
  const { nodes, post, workspaceId, addWorkspace } = await aCluster(1, { devices: { ios: 3 } });
  const [owner] = nodes;
  const others = await Promise.all(
    Array.from({ length: 12 }, (_, place) =>
      addWorkspace(`other-${place}`, { channels: ['alerts'], owner: BOB, devices: { ios: 1 } }),
    ),
  );
  await owner.calls.claimBatches(LANE);
  await Promise.all(Array.from({ length: MOST_OWNED }, () => post()));
  const ownedOf = 'SELECT count(*) FROM fan_out WHERE owner IS NOT NULL AND workspace_id = :workspaceId';
  const owned = await owner.value(ownedOf, { workspaceId });
  await Promise.all(Array.from({ length: 300 }, () => post()));
  for (const other of others) await owner.calls.acceptEvent(anEvent(other.workspaceId));
  const claimed = new Set<number>();
  await until('all others are claimed', async () => {
    const { claims } = await owner.calls.claimBatches(LANE);
    for (const { workspaceId: id } of claims.flatMap(({ events }) => events)) claimed.add(id);
    // No push can go.
    for (const claim of claims) await owner.calls.releaseBatch(claim);
    return claimed.size === 1 + others.length;
  });
  assert.is(await owner.value(ownedOf, { workspaceId }), owned);
});

test('A node that was evicted during a lease sends nothing of it', async () => {
  const { url, nodes, post } = await aCluster(1, { devices: { ios: 1 } });
  const [other] = nodes;
  const gate = aGate('lease_lane');
  const evicted = await aNode({ url, node: 'evicted', connect: gate.connect });
  await post();
  const claiming = claimedBy(evicted);
  await gate.isReached;
  const { node } = evicted.store;
  await other.execute(`UPDATE node SET lease_end = 0 WHERE id = ${node}`);
  await until('it is another node', () => evicted.store.node !== node);
  assert.is(await claimedBy(other), 1);
  gate.open();
  assert.is(await claiming, 0);
});

test.run();

/** Statements after which no event's pushes can be withdrawn under this condition. */
function failing(error: string, condition: string): string {
  return `
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF ${condition} THEN RAISE EXCEPTION USING ERRCODE = '${error}', MESSAGE = 'not now'; END IF;
      RETURN new;
    END $$;
    CREATE TRIGGER fail BEFORE UPDATE OF withdrawn ON event FOR EACH ROW EXECUTE FUNCTION fail()`;
}

function accepted({ claimId, targets }: Claim) {
  const verdict = { state: 'accepted' } as const;
  return { claimId, verdicts: targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false })) };
}

async function claimedBy({ calls }: TestNode): Promise<number> {
  return (await calls.claimBatches(LANE)).claims.reduce((sum, { targets }) => sum + targets.length, 0);
}

/** Keeps the first answer to a question with this text until it is opened. */
function aGate(text: string) {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const gated = (connection: Connection): Connection => ({
    ...connection,
    async ask(asked) {
      const answer = await connection.ask(asked);
      if (!asked.text.includes(text)) return answer;
      reached.resolve();
      await opened.promise;
      return answer;
    },
  });
  const connect: typeof connectionsTo = (settings): Connections => {
    const connections = connectionsTo(settings);
    return { ...connections, lend: (work) => connections.lend((connection) => work(gated(connection))) };
  };
  return { connect, isReached: reached.promise, open: () => opened.resolve() };
}

/** Accepted, pending and withdrawn. */
async function deliveriesOf({ calls }: TestNode, publicId: string): Promise<readonly number[]> {
  const {
    accepted: sent,
    pending,
    withdrawn,
  } = granted(await calls.showEvent({ publicId, limit: 1 })).event.deliveries;
  return [sent, pending, withdrawn];
}

/** Subscribes devices to the channel of the cluster. */
async function addDevices({ execute }: TestNode, devices: number): Promise<void> {
  for (let from = 1; from <= devices; from += 500) {
    await execute(`
      WITH added AS (
        INSERT INTO device (public_id, user_id, platform, route, token, name, registered_at)
        SELECT 'dev_' || n, 1, 'ios', 'apns_production', 'token ' || n, 'Phone', 0
        FROM generate_series(${from}, ${Math.min(devices, from + 499)}) AS n RETURNING id, route
      )
      INSERT INTO subscription (channel_id, device_id, user_id, route, active) SELECT 1, id, 1, route, 1 FROM added`);
  }
}
