import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withStoreOf } from '../../src/cli/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { takingLock } from '../../src/store/postgres/locks.ts';
import { signIn } from '../support/app-client.ts';
import { ADA } from '../support/cast.ts';
import { startTestServers } from '../support/cluster-servers.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { temporaryFolder } from '../support/folder.ts';
import { clusterFolder, temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, settled } from '../support/server.ts';
import { openStream } from '../support/stream.ts';
import { until, untilIs } from '../support/until.ts';

test('While the database is gone nothing is accepted, the server lives and says so once, and then it goes on by itself', async () => {
  await using opened = new Resources();
  const proxy = opened.add(await startDatabaseProxy(await clusterFolder()));
  const options = new URL(await temporarySchema()).searchParams.get('options') ?? '';
  const log: string[] = [];
  const { servers, team, sandbox } = await startTestServers(opened, {
    url: `${proxy.url(options)}&sslmode=disable`,
    count: 1,
    env: { PUSHCTL_DELIVERY_STOP_TIMEOUT: '1s' },
    log: (line) => log.push(line),
  });
  const url = String(servers[0]?.server.url);
  await team.addDevice(sandbox, { platform: 'ios' });
  proxy.cut();
  await until('a post is refused', async () => (await team.post()).status === 503);
  for (let n = 0; n < 3; n += 1) assert.is((await team.post()).status, 503);
  const { headers } = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${team.key}` } });
  assert.is(headers.get('retry-after'), '5');
  assert.is((await fetch(`${url}/readyz`)).status, 503);
  assert.is((await fetch(`${url}/healthz`)).status, 200);
  assert.ok(await servers[0]?.server.isAlive());
  proxy.fix();
  await until('a post is accepted', async () => (await team.post()).status === 202);
  await untilIs('the server is ready', async () => (await fetch(`${url}/readyz`)).status, 200);
  const { body } = await team.post();
  assert.is((await settled(team, body.event.public_id)).deliveries.accepted, 1);
  const countOf = (word: string) => log.filter((line) => line.includes(word)).length;
  assert.is(countOf('the database is unavailable'), 1);
  assert.is(countOf('the database cannot be written'), 1);
  await untilIs('its return is logged', () => countOf('the database is available again'), 1);
  proxy.cut();
  await servers[0]?.server.stop();
});

test('Open apps are notified of what a command changes, and the links of an event that it cancels are dropped', async () => {
  await using opened = new Resources();
  const { servers, team, sandbox } = await startTestServers(opened, {
    count: 1,
    env: { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0' },
  });
  const [{ server, env } = missing()] = servers;
  const linksBytes = async () => {
    const text = await (await fetch(String(server.metricsUrl))).text();
    return Number(/^pushctl_links_bytes (\d+)$/m.exec(text)?.[1]);
  };
  const { token } = await signIn(servers[0] ?? missing(), ADA);
  const stream = await openStream(server.url, { key: token });
  await stream.hears('everything', null);
  await team.addDevice(sandbox, { platform: 'android' });
  await team.store.pauseRoute({ route: 'fcm' });
  const { body } = await team.post({ url: 'https://example.com/a' });
  assert.ok((await linksBytes()) > 0);
  await withStoreOf(loadConfig({ env }), async (store) => {
    granted(await store.createChannel({ workspace: 'acme', slug: 'builds' }));
    granted(await store.cancelEvent({ publicId: body.event.public_id }));
  });
  await stream.hears('channels', 'acme');
  await untilIs('the links are dropped', () => linksBytes(), 0);
});

test('A server starts while another one holds up all changes', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  const { servers } = await startTestServers(opened, { url, count: 1 });
  const client = new pg.Client({ connectionString: url });
  opened.onEnd(() => client.end());
  await client.connect();
  await client.query(`BEGIN; ${takingLock('changes')}`);
  const env = { ...servers[0]?.env, PUSHCTL_DATA_DIR: temporaryFolder(), PUSHCTL_STORE_NODE: 'node-2' };
  const second = await serveHere(opened, env);
  assert.is((await fetch(`${second.url}/healthz`)).status, 200);
  await client.query('ROLLBACK');
});

test('Two servers with one data folder are a problem that says so', async () => {
  await using opened = new Resources();
  const { servers } = await startTestServers(opened, { count: 1 });
  const error = await serveHere(opened, servers[0]?.env ?? {}).catch((thrown: unknown) => thrown);
  assert.instance(error, OperatorProblem);
  assert.match((error as Error).message, /is in use by .*its own data_dir/);
});

test.run();

function missing(): never {
  throw new Error('there is no such server');
}
