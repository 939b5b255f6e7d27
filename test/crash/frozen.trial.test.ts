import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionsTo } from '../../src/store/postgres/connections.ts';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import { startSandbox } from '../support/sandbox/start.ts';
import { aTeam, type Env, serverEnv, settled } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { Arrivals } from './arrivals.ts';
import { serverProcess } from './server-process.ts';

const DEVICES = 20;

const KEYS_USED = 'SELECT name FROM api_key WHERE last_used_at IS NOT NULL';
const LIVING = 'SELECT name FROM node ORDER BY name';

test('A node that was frozen beyond its lease while it sent sends nothing more of that once it goes on', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await startSandbox({ record: 'count' }));
  const arrivals = new Arrivals();
  sandbox.onPush((push) => arrivals.take(push));
  const url = await temporarySchema();
  const way = opened.add(await startTcpProxy(sandbox.apns.productionUrl));
  const common = await serverEnv(sandbox, { PUSHCTL_STORE_URL: url });
  const ofNode = (name: string, more: Env = {}): Env => ({
    ...common,
    PUSHCTL_DATA_DIR: temporaryFolder(),
    PUSHCTL_STORE_NODE: name,
    ...more,
  });
  const environments = [ofNode('frozen', { PUSHCTL_APNS_ENDPOINT_PRODUCTION: way.url }), ofNode('other')] as const;
  const frozen = serverProcess(opened, environments[0]);
  const atFrozen = opened.add(await aTeam(environments[0], await frozen.url));
  const devices = [];
  for (let n = 0; n < DEVICES; n += 1) devices.push(await atFrozen.addDevice(sandbox, { platform: 'ios' }));
  way.hold();
  const { event } = (await atFrozen.post()).body;
  await until('it sends', () => way.connections > 0 || way.connections);
  const database = opened.add(connectionsTo({ url }));
  const rows = (text: string) => database.lend(({ sql }) => sql.values<object, string>(text)({}));
  // Frozen in the middle of that, it would have the lock that changes need.
  await until(
    'the use of its key is noted',
    async () => (await rows(KEYS_USED)).length > 0 || (await rows(KEYS_USED)).length,
  );

  frozen.freeze();
  const other = serverProcess(opened, environments[1]);
  const atOther = opened.add(await aTeam(environments[1], await other.url));
  const [removed] = devices;
  assert.ok(removed);
  await atOther.store.removeDevice({ id: removed.id });
  const { deliveries } = await settled(atOther, event.public_id);
  assert.equal([deliveries.accepted, deliveries.withdrawn], [DEVICES - 1, 1]);
  way.release();
  frozen.thaw();
  await until('it has joined again', async () => (await rows(LIVING)).join() === 'frozen,other' || rows(LIVING));
  assert.is(await frozen.end('SIGTERM'), 0);
  assert.is(arrivals.copies(event.public_id, removed.token), 0);
  assert.is(arrivals.total, DEVICES - 1);
});

test.run();
