import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databasePath } from '../../src/store/data-folder.ts';
import { openReadOnly } from '../../src/store/sqlite/database.ts';
import { Cli } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, settled, startTestServer } from '../support/server.ts';

test('Doctor, every thread and route, and the next server after a restart send with the token that was signed first', async () => {
  await using opened = new Resources();
  const listen = `127.0.0.1:${await freePort()}`;
  const set = { PUSHCTL_LISTEN: listen, PUSHCTL_DELIVERY_THREADS: '3' };
  const { server, sandbox, team, env } = await startTestServer(opened, { env: set });
  await new Cli().run(['doctor'], { env });
  const db = openReadOnly(databasePath(String(env.PUSHCTL_DATA_DIR)));
  opened.onEnd(() => db.close());
  const stored = db.prepare<[], string>("SELECT token FROM signed_token WHERE name LIKE 'apns %'").pluck();
  const [token, ...others] = stored.all();
  assert.is(others.length, 0);

  for (const environment of ['production', 'sandbox'] as const)
    await team.addDevice(sandbox, { platform: 'ios', environment });
  const post = async (delivery_urgency: string) => {
    const { body } = await team.post({ delivery_urgency });
    assert.is((await settled(team, body.event.public_id)).deliveries.accepted, 2);
  };
  for (let n = 0; n < 3; n += 1) for (const urgency of ['standard', 'time_sensitive']) await post(urgency);
  await server.stop();
  await serveHere(opened, env);
  await post('standard');
  const used = new Set(sandbox.pushes.map(({ headers }) => headers.authorization));
  assert.equal([...used], [`bearer ${token}`]);
});

test.run();
