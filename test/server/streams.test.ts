import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { signIn } from '../support/sign-in.ts';
import { type OpenStream, openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';

async function owner({ server, team }: TestServer): Promise<OpenStream> {
  return openStream(server.url, { key: await signIn({ http: server, store: team.store }, ADA) });
}

test('a client that loads an event again whenever its stream says so sees the results of its pushes', async () => {
  await using opened = new Resources();
  const scene = await startTestServer(opened);
  const { team, sandbox } = scene;
  await team.addDevice(sandbox, { platform: 'android' });
  const stream = await owner(scene);
  const { body } = await team.post();
  let seen = 0;
  await until('its push to be accepted', async () => {
    const events = stream.reported().filter(({ kind }) => kind === 'events').length;
    if (events === seen) return false;
    seen = events;
    return (await team.read(body.event.public_id)).deliveries.accepted === 1;
  });
});

test('a device that its provider no longer knows is inactive on the stream of its owner', async () => {
  await using opened = new Resources();
  const scene = await startTestServer(opened);
  const { team, sandbox } = scene;
  await team.addDevice(sandbox, { platform: 'android' });
  await team.addDevice(sandbox, { platform: 'android', behaviour: 'unregistered' });
  const stream = await owner(scene);
  await stream.hears('everything', null);
  await team.post();
  await Promise.all([stream.hears('devices', null), stream.hears('devices', 'acme')]);
});

test('a stop ends the streams before anything else, and does not wait for their clients', async () => {
  await using opened = new Resources();
  const scene = await startTestServer(opened);
  const stream = await owner(scene);
  await stream.hears('everything', null);
  const [wasEnded] = await Promise.all([stream.ended, scene.server.stop()]);
  assert.ok(wasEnded, 'it came to its end, and was not cut off after the time that a stop gives requests');
});

test.run();
