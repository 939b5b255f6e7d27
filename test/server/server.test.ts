import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from '../support/resources.ts';
import { settled, startTestServer } from '../support/server.ts';

const server = suite('server');

server('a posted event reaches a device on each route', async () => {
  await using opened = new Resources();
  const { sandbox, team } = await startTestServer(opened);
  const tokens = await Promise.all([
    team.addDevice(sandbox, { platform: 'ios' }),
    team.addDevice(sandbox, { platform: 'ios', environment: 'sandbox' }),
    team.addDevice(sandbox, { platform: 'android' }),
    team.addDevice(sandbox, { platform: 'android', tokenKind: 'installation_id' }),
  ]);
  const { status, body } = await team.post({ description: 'on db-1', url: 'https://example.com/db-1' });
  assert.is(status, 202);
  assert.is(body.event.target_device_count, 4);
  const { deliveries } = await settled(team, body.event.public_id);
  assert.is(deliveries.accepted, 4);
  assert.equal(sandbox.pushes.map(({ token }) => token).sort(), tokens.map(({ token }) => token).sort());
});

server('a running server is alive, and a stopped one is not', async () => {
  await using opened = new Resources();
  const { server } = await startTestServer(opened);
  assert.ok(await server.isAlive());
  await server.stop();
  assert.not(await server.isAlive());
});

server.run();
