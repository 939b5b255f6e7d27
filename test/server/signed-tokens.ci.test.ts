import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Cli } from '../support/cli.ts';
import { startTestServers } from '../support/cluster-servers.ts';
import { Resources } from '../support/resources.ts';
import { settled } from '../support/server.ts';

test('Three nodes and doctor send with one token of each key, to Apple and to push services', async () => {
  await using opened = new Resources();
  const { servers, sandbox, team } = await startTestServers(opened, { count: 3 });
  await team.addDevice(sandbox, { platform: 'ios' });
  await team.addDevice(sandbox, { platform: 'web', service: 'webpush_mozilla' });
  for (const { team: own, env } of servers) {
    await new Cli().run(['doctor'], { env });
    for (let n = 0; n < 4; n += 1) {
      const { body } = await own.post();
      assert.is((await settled(own, body.event.public_id)).deliveries.accepted, 2);
    }
  }
  for (const endpoint of ['apns_production', 'webpush_mozilla']) {
    const pushes = sandbox.pushes.filter((push) => push.endpoint === endpoint);
    assert.is(pushes.length, 12);
    assert.is(new Set(pushes.map(({ headers }) => headers.authorization)).size, 1, endpoint);
  }
});

test.run();
