import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPairingCode } from '../src/contract/pairing-code.ts';
import type { Push } from '../src/sandbox/journal.ts';
import { done, fetchReply, type Reply, until } from './support/http.ts';
import { settled, startTestServer, type TestServer } from './support/server.ts';

/** Somebody who has nothing but the API, and what they have learnt from it. */
interface Client {
  readonly token: string;
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** Signs in with nothing but a pairing code. */
async function signIn({ server, team }: TestServer, email: string): Promise<Client> {
  const { text: code, hash: codeHash } = createPairingCode();
  await done(team.store.createPairingCode({ email, codeHash, expiresAtMs: Date.now() + 60_000 }));
  const signedIn = await fetchReply(server.url, '/api/v1/session', { method: 'POST', body: { pairing_code: code } });
  const { token } = signedIn.body.session as { token: string };
  return { token, ask: (method, path, body) => ask(server.url, token, method, path, body) };
}

function ask(url: string, key: string, method: string, path: string, body?: unknown): Promise<Reply> {
  return fetchReply(url, `/api/v1${path}`, { method, key, ...(body !== undefined && { body }) });
}

async function addBob({ team }: TestServer): Promise<void> {
  await done(team.store.addMember({ workspace: 'acme', email: 'bob@example.com', role: 'member', wallMs: Date.now() }));
}

async function register(client: Client, device: object, channel = 'deploys'): Promise<string> {
  const { body } = await client.ask('POST', '/devices', device);
  const { id } = body.device as { id: string };
  assert.is((await client.ask('PUT', `/devices/${id}/subscriptions/acme/${channel}`)).status, 204);
  return id;
}

function eventIdOf(push: Push): unknown {
  const { event_id, data } = push.payload as { event_id?: string; data?: { event_id?: string } };
  return event_id ?? data?.event_id;
}

function publicIdOf({ body }: Reply): string {
  return (body.event as { public_id: string }).public_id;
}

test('a new team does everything over HTTP with nothing but a pairing code', async () => {
  const scene = await startTestServer();
  const { server, sandbox, team } = scene;
  await addBob(scene);
  const ada = await signIn(scene, 'ada@example.com');

  assert.is((await ada.ask('POST', '/workspaces/acme/channels', { slug: 'deploys', name: 'Deploys' })).status, 201);
  const phone = sandbox.token({ platform: 'ios', environment: 'sandbox' });
  const tablet = sandbox.token({ platform: 'android' });
  await register(ada, { platform: 'ios', environment: 'sandbox', token: phone, name: 'Phone' });
  await register(ada, { platform: 'android', token: tablet, name: 'Tablet' });
  const { body } = await ada.ask('GET', '/workspaces/acme/channels');
  const deploys = (body.channels as { slug: string; devices: string[] }[]).find(({ slug }) => slug === 'deploys');
  assert.is(deploys?.devices.length, 2);

  const created = await ada.ask('POST', '/workspaces/acme/keys', { name: 'ci', scopes: ['events:write'] });
  const key = String(created.body.key);
  const post = (title: string) => ask(server.url, key, 'POST', '/events', { channel: 'deploys', title });
  const first = publicIdOf(await post('Deploy finished'));
  for (const token of [phone, tablet]) {
    assert.is(eventIdOf(await sandbox.waitForPush((push) => push.token === token)), first);
  }
  const inbox = await ada.ask('GET', '/events?workspace=acme');
  assert.equal(
    (inbox.body.events as { public_id: string; title: string }[]).map(({ public_id, title }) => [public_id, title]),
    [[first, 'Deploy finished']],
  );

  const bob = await signIn(scene, 'bob@example.com');
  assert.is((await bob.ask('POST', '/devices', { platform: 'ios', environment: 'sandbox', token: phone })).status, 201);
  const second = publicIdOf(await post('Another deploy'));
  await sandbox.waitForPush((push) => push.token === tablet && eventIdOf(push) === second);
  assert.equal((await settled(team, second)).deliveries.accepted, 1);
  assert.not(sandbox.pushes.some((push) => push.token === phone && eventIdOf(push) === second));

  assert.is((await ada.ask('DELETE', '/session')).status, 204);
  assert.is((await ada.ask('GET', '/devices')).status, 401);
  await scene.stop();
});

test('a push that waits while its device moves to another user is withdrawn', async () => {
  // Long enough that the next try is not under way when the device moves.
  const env = { PUSHCTL_DELIVERY_RETRY_BUSY_FIRST: '10s', PUSHCTL_DELIVERY_RETRY_MAX: '10s' };
  const scene = await startTestServer({ env });
  const { sandbox, team } = scene;
  await addBob(scene);
  const ada = await signIn(scene, 'ada@example.com');
  const bob = await signIn(scene, 'bob@example.com');
  const token = sandbox.token({ platform: 'ios' });
  await register(ada, { platform: 'ios', token }, 'alerts');

  const mend = sandbox.behave({ match: { token }, answer: { kind: 'refuse', reason: 'TooManyRequests' } });
  const { body } = await team.post();
  await until(() => sandbox.refused.some((refused) => refused.token === token));
  assert.is((await bob.ask('POST', '/devices', { platform: 'ios', token })).status, 201);
  mend();

  const { deliveries } = await settled(team, body.event.public_id);
  assert.equal([deliveries.withdrawn, deliveries.accepted], [1, 0]);
  assert.is(sandbox.pushes.length, 0);
  assert.equal((await bob.ask('GET', '/events')).body.events, []);
  await scene.stop();
});

test.run();
