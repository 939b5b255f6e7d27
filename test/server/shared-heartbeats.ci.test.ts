import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestServers } from '../support/cluster-servers.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { untilIs } from '../support/until.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('server: heartbeats of several servers');

test('Any of the servers that share a database takes the pings of a heartbeat, also the first ping', async () => {
  await using opened = new Resources();
  const { servers, sandbox, team } = await startTestServers(opened);
  await team.addDevice(sandbox, { platform: 'android' });
  const named = { workspace: 'acme', slug: 'backup' };
  const { uuid } = granted(await team.store.createHeartbeat({ ...named, channel: 'alerts' }));
  const suffixes = ['/fail', '', '/7', '/0'];
  for (const [turn, suffix] of suffixes.entries()) {
    const { server } = servers[turn % servers.length] ?? {};
    assert.is((await fetch(`${server?.url}/ping/${uuid}${suffix}`)).status, 200);
  }
  await untilIs('a push of each change', () => sandbox.pushes.length, suffixes.length);
  const { events } = granted(await team.store.listEvents({ workspace: 'acme', limit: 10 }));
  assert.equal(valuesOf(events, 'event_type'), ['heartbeat.up', 'heartbeat.down', 'heartbeat.up', 'heartbeat.down']);
});

test.run();
