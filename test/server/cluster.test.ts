import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withStoreOf } from '../../src/cli/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { OperatorProblem } from '../../src/problem.ts';
import { inspectPostgres } from '../../src/store/postgres/inspection.ts';
import { ask, signIn } from '../support/app-client.ts';
import { ADA } from '../support/cast.ts';
import { startTestServers } from '../support/cluster-servers.ts';
import { wayToDatabase } from '../support/database-way.ts';
import { Opened } from '../support/opened.ts';
import { clusterFolder, temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { serveHere, settled } from '../support/server.ts';
import { openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';

test('an event that any of two servers takes reaches the device once, and both tell of it', async () => {
  await using opened = new Opened();
  const { servers, sandbox, team } = await startTestServers(opened);
  const { token } = await team.addDevice(sandbox, { platform: 'ios' });
  const ids = new Set<unknown>();
  for (const { team } of servers) {
    const { status, body } = await team.post();
    assert.is(status, 202);
    assert.is(body.event.target_device_count, 1);
    ids.add(body.event.public_id);
    for (const other of servers) {
      const { deliveries } = await settled(other.team, body.event.public_id);
      assert.is(deliveries.accepted, 1);
    }
  }
  assert.equal(
    sandbox.pushes.map(({ token }) => token),
    [token, token],
  );
  assert.is(ids.size, 2);
});

test('While the database is gone nothing is accepted, the server lives and says so once, and then it goes on by itself', async () => {
  await using opened = new Opened();
  const way = opened.add(await wayToDatabase(await clusterFolder()));
  const options = new URL(await temporarySchema()).searchParams.get('options') ?? '';
  const log: string[] = [];
  const { servers, team, sandbox } = await startTestServers(opened, {
    url: `${way.url(options)}&sslmode=disable`,
    count: 1,
    env: { PUSHCTL_DELIVERY_STOP_TIMEOUT: '1s' },
    log: (line) => log.push(line),
  });
  const url = String(servers[0]?.server.url);
  await team.addDevice(sandbox, { platform: 'ios' });
  way.cut();
  await until('a post is refused', async () => (await team.post()).status === 503);
  for (let n = 0; n < 3; n += 1) assert.is((await team.post()).status, 503);
  const { headers } = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${team.key}` } });
  assert.is(headers.get('retry-after'), '5');
  assert.is((await fetch(`${url}/readyz`)).status, 503);
  assert.is((await fetch(`${url}/healthz`)).status, 200);
  assert.ok(await servers[0]?.server.isAlive());
  way.mend();
  await until('a post is accepted', async () => (await team.post()).status === 202);
  await until('the server is ready', async () => (await fetch(`${url}/readyz`)).status === 200);
  const { body } = await team.post();
  assert.is((await settled(team, body.event.public_id)).deliveries.accepted, 1);
  const said = (word: string) => log.filter((line) => line.includes(word)).length;
  assert.is(said('the database cannot be used'), 1);
  assert.is(said('the store cannot write'), 1);
  await until('its return is told', () => said('the database can be used again') === 1);
  way.cut();
  await servers[0]?.server.stop();
});

test('A key that is revoked at one server is refused by the other at the next request', async () => {
  await using opened = new Opened();
  const { pair } = await twoServers(opened);
  const [here, there] = pair;
  const { id, text } = await here.team.issueKey();
  const usage = () => ask(there.server.url, text, 'GET', '/usage');
  const post = () => ask(there.server.url, text, 'POST', '/events', { channel: 'alerts', title: 'x' });
  assert.equal([(await usage()).status, (await post()).status], [200, 202]);
  granted(await here.team.store.revokeKey({ id }));
  assert.equal([(await post()).status, (await usage()).status], [403, 403]);
});

test('Somebody who has signed in at one server uses the other, hears there of what is done here, and signs out of both', async () => {
  await using opened = new Opened();
  const { pair } = await twoServers(opened);
  const [here, there] = pair;
  const ada = await signIn(here, ADA);
  const other = await signIn(here, ADA);
  const elsewhere = (method: string, path: string) => ask(there.server.url, ada.token, method, path);
  assert.is((await elsewhere('GET', '/session')).status, 200);
  const stream = await openStream(there.server.url, { key: ada.token });
  await stream.hears('everything', null);
  assert.is((await other.ask('POST', '/workspaces/acme/channels', { slug: 'builds', name: 'Builds' })).status, 201);
  await stream.hears('channels', 'acme');
  await here.team.post();
  await stream.hears('events', 'acme');
  assert.is((await ada.ask('DELETE', '/session')).status, 204);
  assert.is((await elsewhere('GET', '/session')).status, 401);
  assert.ok(await stream.ended);
});

test('What an operator decides about a route holds at every server', async () => {
  await using opened = new Opened();
  const { pair } = await twoServers(opened);
  const [here, there] = pair;
  const paused = async () => {
    const routes = await there.team.store.listRoutes({});
    return routes.filter(({ live }) => live?.pause?.kind === 'operator').map(({ route }) => route);
  };
  await here.team.store.pauseRoute({ route: 'fcm' });
  assert.equal(await paused(), ['fcm']);
  await here.team.store.resumeRoute({ route: 'fcm' });
  assert.equal(await paused(), [], 'whoever asks at once is told so, too');
});

test('Open apps are told of what a command changes, and the links of an event that it cancels are dropped', async () => {
  await using opened = new Opened();
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
  await until('the links are dropped', async () => (await linksBytes()) === 0);
});

test('Every server tells where it listens and what it is at, and one that is stopped is gone at once', async () => {
  await using opened = new Opened();
  const url = await temporarySchema();
  const { servers } = await startTestServers(opened, { url });
  const nodes = async () => (await inspectPostgres({ url })).nodes;
  await until('both have told', async () => (await nodes()).every(({ address }) => address !== null));
  assert.equal(
    (await nodes()).map(({ name, address, health }) => [name, address, health.paused]),
    servers.map(({ server }, place) => [`node-${place + 1}`, server.url, []]),
  );
  await servers[0]?.server.stop();
  assert.equal(
    (await nodes()).map(({ name }) => name),
    ['node-2'],
  );
});

test('Two servers with one data folder are a problem that says so', async () => {
  await using opened = new Opened();
  const { servers } = await startTestServers(opened, { count: 1 });
  const error = await serveHere(opened, servers[0]?.env ?? {}).catch((thrown: unknown) => thrown);
  assert.instance(error, OperatorProblem);
  assert.match((error as Error).message, 'a server runs with data_dir');
});

test.run();

async function twoServers(opened: Opened) {
  const all = await startTestServers(opened);
  const [here, there] = all.servers;
  return { ...all, pair: [here ?? missing(), there ?? missing()] as const };
}

function missing(): never {
  throw new Error('there is no such server');
}
