import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Push } from '../../src/sandbox/journal.ts';
import { aMember, ask, register, signIn } from '../support/app-client.ts';
import { ADA, BOB } from '../support/cast.ts';
import type { Reply } from '../support/http.ts';
import { Resources } from '../support/resources.ts';
import { settled, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

function eventIdOf(push: Push): unknown {
  const { event_id, data } = push.payload as { event_id?: string; data?: { event_id?: string } };
  return event_id ?? data?.event_id;
}

function publicIdOf({ body }: Reply): string {
  return (body.event as { public_id: string }).public_id;
}

test('a new team does everything over HTTP with nothing but a pairing code', async () => {
  await using opened = new Resources();
  const scene = await startTestServer(opened);
  const { server, sandbox, team } = scene;
  const ada = await signIn(scene, ADA);

  assert.is((await ada.ask('POST', '/workspaces/acme/channels', { slug: 'builds', name: 'Builds' })).status, 201);
  const phone = sandbox.token({ platform: 'ios', environment: 'sandbox' });
  const tablet = sandbox.token({ platform: 'android' });
  await register(ada, { platform: 'ios', environment: 'sandbox', token: phone, name: 'Phone' }, 'builds');
  await register(ada, { platform: 'android', token: tablet, name: 'Tablet' }, 'builds');
  const { body } = await ada.ask('GET', '/workspaces/acme/channels');
  const builds = (body.channels as { slug: string; devices: string[] }[]).find(({ slug }) => slug === 'builds');
  assert.is(builds?.devices.length, 2);

  const created = await ada.ask('POST', '/workspaces/acme/keys', { name: 'ci', scopes: ['events:write'] });
  const key = String(created.body.key);
  const post = (title: string) => ask(server.url, key, 'POST', '/events', { channel: 'builds', title });
  const first = publicIdOf(await post('Deploy finished'));
  for (const token of [phone, tablet]) {
    assert.is(eventIdOf(await sandbox.waitForPush((push) => push.token === token)), first);
  }
  const inbox = await ada.ask('GET', '/events?workspace=acme');
  assert.equal(
    (inbox.body.events as { public_id: string; title: string }[]).map(({ public_id, title }) => [public_id, title]),
    [[first, 'Deploy finished']],
  );

  const bob = await aMember(scene, BOB);
  assert.is((await bob.ask('POST', '/devices', { platform: 'ios', environment: 'sandbox', token: phone })).status, 201);
  const second = publicIdOf(await post('Another deploy'));
  await sandbox.waitForPush((push) => push.token === tablet && eventIdOf(push) === second);
  assert.equal((await settled(team, second)).deliveries.accepted, 1);
  assert.not(sandbox.pushes.some((push) => push.token === phone && eventIdOf(push) === second));

  assert.is((await ada.ask('DELETE', '/session')).status, 204);
  assert.is((await ada.ask('GET', '/devices')).status, 401);
});

test('a push that is tried again and again is withdrawn when its device moves to another user', async () => {
  await using opened = new Resources();
  const scene = await startTestServer(opened);
  const { sandbox, team } = scene;
  const ada = await signIn(scene, ADA);
  const bob = await aMember(scene, BOB);
  const token = sandbox.token({ platform: 'ios' });
  await register(ada, { platform: 'ios', token });

  sandbox.behave({ match: { token }, answer: { kind: 'refuse', reason: 'TooManyRequests' } });
  const { body } = await team.post();
  await until('the first try', () => sandbox.refused.some((refused) => refused.token === token));
  assert.is((await bob.ask('POST', '/devices', { platform: 'ios', token })).status, 201);

  const { deliveries } = await settled(team, body.event.public_id);
  assert.equal([deliveries.withdrawn, deliveries.accepted], [1, 0]);
  assert.equal((await bob.ask('GET', '/events')).body.events, []);
});

test.run();
