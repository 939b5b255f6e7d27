import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { move } from '../../../src/store/engine-migration/move.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aFilledFolder } from '../../support/moving.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { Resources } from '../../support/resources.ts';
import { NOW_MS } from '../../support/store.ts';
import { untilIs } from '../../support/until.ts';

const wallMs = NOW_MS;
/** Longer than a server waits for any statement. */
const LONG_S = 6;
const WAITS = `
  SELECT 1 FROM pg_stat_activity
  WHERE cardinality(pg_blocking_pids(pid)) > 0 AND query_start < clock_timestamp() - interval '${LONG_S} s'`;

test('A move waits until what others have begun in the database is done, longer than a server would.', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  await move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs });
  const [stranger, looking] = [await connected(opened, url), await connected(opened, url)];
  await stranger.query('BEGIN; LOCK TABLE event IN ROW EXCLUSIVE MODE');
  const moving = move({ from: { url }, to: { folder: temporaryFolder() }, wallMs });
  const hasWaited = untilIs('it has waited', async () => (await looking.query(WAITS)).rowCount, 1);
  await Promise.race([moving, hasWaited]);
  await stranger.query('COMMIT');
  const { tables } = await moving;
  assert.ok(tables.some(({ rows }) => rows > 0));
});

test.run();

async function connected(opened: Resources, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  opened.add({ close: () => client.end() });
  return client;
}
