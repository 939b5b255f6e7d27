import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { NOW_MS } from '../../../src/store/postgres/sql.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { until } from '../../support/until.ts';
import { aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('taking up the queue of PostgreSQL');

const YEAR_MS = 365 * 86_400_000;
/** More than two transactions look at. */
const MANY = 5_000;
const FEW = 10;

test('A node that starts reads the events of which something waits, and none that is settled', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  const node = await aNode({ url });
  const { workspaceId } = await aWorkspace(node.calls, {});
  await addEvents(node, workspaceId, { from: 1, to: MANY, waiting: 'nothing' });
  await addEvents(node, workspaceId, { from: MANY + 1, to: MANY + FEW, waiting: 'fan_out' });
  await addEvents(node, workspaceId, { from: MANY + FEW + 1, to: MANY + 2 * FEW, waiting: 'delivery' });
  await node.calls.expireOverdue({});
  // Its connections report at their ends what they have read.
  await node.calls.close();
  const connections = connectionsTo({ url });
  opened.onEnd(() => connections.close());
  const read = () =>
    connections.lend(({ sql }) =>
      sql.value<object, number>(`
        SELECT coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) FROM pg_stat_user_tables
        WHERE schemaname = current_schema() AND relname = 'event'`)({}),
    );
  await until('the rows that were read are counted', async () => ((await read()) ?? 0) >= 2 * FEW);
  assert.ok(((await read()) ?? 0) < MANY, `${await read()} rows`);
});

test('If the clock was set back, all waiting pushes are brought forward, in any number, and settled pushes stay', async () => {
  const settings = someSettings();
  const node = await aNode({ url: await temporarySchema(), settings });
  const { workspaceId } = await aWorkspace(node.calls, {});
  await addEvents(node, workspaceId, { from: 1, to: FEW, waiting: 'nothing' });
  await addEvents(node, workspaceId, { from: FEW + 1, to: FEW + MANY, waiting: 'fan_out' });
  await addEvents(node, workspaceId, { from: FEW + MANY + 1, to: FEW + 2 * MANY, waiting: 'delivery' });
  await node.calls.expireOverdue({});
  const count = (text: string) => node.value(`SELECT count(*) FROM ${text}`);
  const isLater = (column: string, ms: number) => `WHERE ${column} > ${NOW_MS} + ${ms}`;
  assert.is(await count(`event ${isLater('expires_at', settings.ttlMs)}`), FEW);
  assert.is(await count(`fan_out ${isLater('expires_at', settings.ttlMs)}`), 0);
  assert.is(await count(`delivery ${isLater('due_at', settings.longestWaitMs)}`), 0);
  assert.is(await count('delivery'), MANY);
});

test.run();

interface Added {
  readonly from: number;
  readonly to: number;
  readonly waiting: 'nothing' | 'fan_out' | 'delivery';
}

/** Events that expire in a year, and of each one target that waits for so long. */
async function addEvents({ store }: TestNode, workspaceId: number, { from, to, waiting }: Added): Promise<void> {
  const [ids, later] = [`generate_series(${from}, ${to}) AS id`, `${NOW_MS} + ${YEAR_MS}`];
  const rest = {
    nothing: '',
    fan_out: `
      INSERT INTO fan_out (event_id, route, lane, workspace_id, channel_id, last, targeted, expires_at)
      SELECT id, 'apns_production', 'standard', ${workspaceId}, 1, 1, 1, ${later} FROM ${ids}`,
    delivery: `
      INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
      SELECT id, 1, ${workspaceId}, 'apns_production', 'standard', 'pending', 1, 0, ${later} FROM ${ids}`,
  };
  await store.connections.lend(({ execute }) =>
    execute(`
      INSERT INTO event (id, uuid, workspace_id, title, level, urgency, had_links, targeted, received_at, expires_at)
      SELECT id, decode(md5(id::text), 'hex'), ${workspaceId}, 'title', 'info', 'standard', 0,
        ${waiting === 'nothing' ? 0 : 1}, 0, ${later} FROM ${ids};
      ${rest[waiting]}`),
  );
}
