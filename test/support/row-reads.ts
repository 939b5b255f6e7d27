import * as assert from 'uvu/assert';
import { connectionsTo } from '../../src/store/postgres/connections.ts';
import { temporarySchema } from './postgres.ts';
import { nodesOver, type TestNode } from './postgres-nodes.ts';
import { until } from './until.ts';
import { anEvent, aWorkspace } from './workspace.ts';

const LANE = { route: 'apns_production', lane: 'standard', batchSize: 100 } as const;
const DEVICES = 2;
const TABLES = ['event', 'fan_out', 'delivery', 'subscription', 'device'];
/** Rows that each table may be read for an event that goes to two devices. */
const MOST_READS = 20;

/**
 * A node that found its tables empty, as the statistics do that plans are made by, takes so many events and works them
 * off. Whatever the plans are, it must read a few rows for each, and change the
 * counts of an event where they are.
 */
export async function readsFewRows(events: number): Promise<void> {
  const url = await temporarySchema();
  const [node] = (await nodesOver(url, 1)) as [TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { devices: { ios: DEVICES } });
  await workOff(node, workspaceId, 1);
  await node.store.connections.lend(({ execute }) => execute(`VACUUM ANALYZE ${TABLES.join(', ')}`));
  for (let left = events - 1; left > 0; left -= 500) await workOff(node, workspaceId, Math.min(left, 500));
  // Its connections report at their ends what they have read.
  await node.store.close();
  for (const { name, read, updated, inPlace } of await readsIn(url, DEVICES * events)) {
    assert.ok(read <= MOST_READS * events, `${name}: ${read} rows for ${events} events`);
    const entered = updated - inPlace;
    if (name === 'event') assert.ok(entered <= updated / 20, `${entered} of ${updated} counts went into the indexes`);
  }
}

async function workOff({ calls }: TestNode, workspaceId: number, events: number): Promise<void> {
  await Promise.all(Array.from({ length: events }, () => calls.acceptEvent(anEvent(workspaceId))));
  for (;;) {
    const { claims } = await calls.claimBatches({ ...LANE, limit: 1_000 });
    if (claims.length === 0) return;
    const verdict = { state: 'accepted' } as const;
    await Promise.all(
      claims.map(({ claimId, targets }) =>
        calls.settleBatch({
          claimId,
          verdicts: targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false })),
        }),
      ),
    );
  }
}

interface Reads {
  readonly name: string;
  readonly inserted: number;
  readonly read: number;
  readonly updated: number;
  /** The rows among those for which no index got an entry. */
  readonly inPlace: number;
}

/** Reads by table, once as many deliveries are counted. */
async function readsIn(url: string, deliveries: number): Promise<readonly Reads[]> {
  const connections = connectionsTo({ url });
  const counted = () =>
    connections.lend(({ sql }) =>
      sql.all<object, Reads>(`
        SELECT relname AS name, n_tup_ins AS inserted, coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) AS read,
          n_tup_upd AS updated, n_tup_hot_upd AS "inPlace"
        FROM pg_stat_user_tables WHERE schemaname = current_schema()
          AND relname IN (${TABLES.map((table) => `'${table}'`).join(', ')})
      `)({}),
    );
  await until('all deliveries are counted', async () =>
    (await counted()).some(({ name, inserted }) => name === 'delivery' && inserted === deliveries),
  );
  const reads = await counted();
  await connections.close();
  return reads;
}
