import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeFindings } from '../../src/host/doctor/cluster.ts';
import { inspectPostgres } from '../../src/store/postgres/inspection.ts';
import { ask, signIn } from '../support/app-client.ts';
import { ADA } from '../support/cast.ts';
import { startTestServers, type TestServers } from '../support/cluster-servers.ts';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, settled, type TestServer } from '../support/server.ts';
import { openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { valuesOf } from '../support/values-of.ts';

const cluster = suite('two servers that share a database');
const opened = new Resources();
let url: string;
let both: TestServers;
let here: TestServer;
let there: TestServer;

cluster.before(async () => {
  url = await temporarySchema();
  both = await startTestServers(opened, { url });
  [here, there] = both.servers as [TestServer, TestServer];
});

cluster.after(() => opened[Symbol.asyncDispose]());

cluster('an event that any of two servers takes reaches the device once, and both show it', async () => {
  const { servers, sandbox, team } = both;
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
  assert.equal(valuesOf(sandbox.pushes, 'token'), [token, token]);
  assert.is(ids.size, 2);
});

cluster('A key that is revoked at one server is refused by the other at the next request', async () => {
  const { id, text } = await here.team.issueKey();
  const usage = () => ask(there.server.url, text, 'GET', '/usage');
  const post = () => ask(there.server.url, text, 'POST', '/events', { channel: 'alerts', title: 'x' });
  assert.equal([(await usage()).status, (await post()).status], [200, 202]);
  granted(await here.team.store.revokeKey({ id }));
  assert.equal([(await post()).status, (await usage()).status], [403, 403]);
});

cluster(
  'A member who has signed in at one server uses the other, hears there of what is done here, and signs out of both',
  async () => {
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
  },
);

cluster("An operator's decision about a route holds at every server", async () => {
  const paused = async () => {
    const routes = await there.team.store.listRoutes({});
    return routes.filter(({ live }) => live?.pause?.kind === 'operator').map(({ route }) => route);
  };
  await here.team.store.pauseRoute({ route: 'fcm' });
  assert.equal(await paused(), ['fcm']);
  await here.team.store.resumeRoute({ route: 'fcm' });
  assert.equal(await paused(), [], 'and it holds for a question that follows at once');
});

cluster('A server with another topic, another key and another limit is named with each of them', async () => {
  await using opened = new Resources();
  const key = join(temporaryFolder(), 'key.p8');
  writeFileSync(key, `${readFileSync(there.env.PUSHCTL_APNS_KEY_FILE ?? '', 'utf8')}\n`, { mode: 0o600 });
  const env = {
    ...there.env,
    PUSHCTL_DATA_DIR: temporaryFolder(),
    PUSHCTL_STORE_NODE: 'stray',
    PUSHCTL_APNS_TOPIC: 'com.example.other',
    PUSHCTL_APNS_KEY_FILE: key,
    PUSHCTL_LIMITS_DEVICES: '7',
    PUSHCTL_LIMITS_LINKS_MEMORY: '32MiB',
  };
  await serveHere(opened, env);
  const differing = async () => {
    const findings = nodeFindings((await inspectPostgres({ url })).nodes);
    return findings.flatMap(({ message }) => /^(\S+) differs between the servers: .*\bstray /.exec(message)?.[1] ?? []);
  };
  await until('it is named', async () =>
    isDeepStrictEqual(await differing(), ['apns.key_file', 'apns.topic', 'limits.devices']),
  );
});

cluster('Every server reports its address and its state, and a stopped server is gone at once', async () => {
  const nodes = async () => {
    const { nodes } = await inspectPostgres({ url });
    return nodes.map(({ name, address, health }) => [name, address, health.paused]);
  };
  const [first, second] = both.servers.map(({ server }, place) => [`node-${place + 1}`, server.url, []]);
  await until('both have reported', async () => isDeepStrictEqual(await nodes(), [first, second]));
  await here.server.stop();
  assert.equal(await nodes(), [second]);
});

cluster.run();
