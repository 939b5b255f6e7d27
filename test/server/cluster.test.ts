import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestServers } from '../support/cluster-servers.ts';
import { Opened } from '../support/opened.ts';
import { settled } from '../support/server.ts';

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

test.run();
