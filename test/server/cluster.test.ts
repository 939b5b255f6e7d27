import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestServers } from '../support/cluster-servers.ts';
import { wayToDatabase } from '../support/database-way.ts';
import { Opened } from '../support/opened.ts';
import { clusterFolder, temporarySchema } from '../support/postgres.ts';
import { settled } from '../support/server.ts';
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

test.run();
