/**
 * A request is let in by its header fields, and its body may come much later. These end the user's rights in between,
 * on every operation that takes a body.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/contract/operations/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import { BOB, CARL } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

const WITH_BODY = OPERATIONS.filter(({ body }) => body !== undefined);
const OF_PEOPLE = WITH_BODY.filter(({ session }) => session !== undefined);
const OF_MANAGERS = OF_PEOPLE.filter(({ session }) => session === 'managers');
const OF_KEYS = WITH_BODY.filter(({ scopes }) => scopes !== undefined);

interface Scene {
  readonly api: Api;
  /** The session token of an admin, who belongs to another workspace as well. */
  readonly token: string;
  readonly parameters: Readonly<Record<string, string>>;
}

async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    await api.addWorkspace('umbrella');
    const token = await aPerson(api, CARL, { role: 'admin' });
    await api.join(CARL, { workspace: 'umbrella' });
    await api.join(BOB);
    const body = { platform: 'ios', token: 'cd'.repeat(32) };
    const { device } = (await api.request('/api/v1/devices', { method: 'POST', key: token, body })).body;
    const { id: key } = await api.issueKey();
    const { id } = device as { id: string };
    const alerts = { workspace: 'acme', slug: 'alerts' };
    granted(await api.store.updateChannel({ ...alerts, insist: { repeat: 120, until: 3_600 } }));
    const { event } = (await api.post({ channel: 'alerts', title: 'Disk full', delivery_urgency: 'time_sensitive' }))
      .body;
    const { public_id } = event as { public_id: string };
    granted(await api.store.createHeartbeat({ ...alerts, channel: 'alerts', slug: 'nightly' }));
    const secret = newWebhookSecret(randomBytes);
    const { id: webhook } = granted(
      await api.store.createWebhook({ workspace: 'acme', url: 'https://hooks.example.com/in', secret }),
    );
    const { id: maintenance } = granted(await api.store.createMaintenance({ ...alerts, for: 3_600 }));
    const turns = { workspace: 'acme', slug: 'payments', members: [BOB] };
    granted(await api.store.createRota(turns));
    const turn = { ...turns, member: BOB, untilMs: Date.now() + 3_600_000 };
    const { id: override } = granted(await api.store.addOverride(turn));
    const named = {
      workspace: 'acme',
      channel: 'alerts',
      heartbeat: 'nightly',
      webhook,
      maintenance,
      rota: 'payments',
      override,
      device: id,
      key,
      email: BOB,
      public_id,
    };
    await use({ api, token, parameters: named });
  });
}

/** Sends the head of a request, waits until the server wants its body, does `meanwhile`, and then sends the body. */
async function answerAfter(
  { api, parameters }: Scene,
  { method, path, body }: Operation,
  key: string,
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; text: string }> {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const text = JSON.stringify(exampleOf(body));
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Expect: '100-continue',
  };
  const request = httpRequest(`${api.http.url}/api${address}`, { method: method.toUpperCase(), headers });
  request.flushHeaders();
  const answered = once(request, 'response');
  const isAsked = await Promise.race([once(request, 'continue').then(() => true), answered.then(() => false)]);
  assert.ok(isAsked, `${method} ${address} is answered before its body`);
  await meanwhile();
  request.end(text);
  const [response] = await answered;
  const chunks = await response.toArray();
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

function exampleOf(schema = ''): unknown {
  const [example] = readSchema(schema).examples as readonly unknown[];
  return example;
}

/** All that the operations could have changed. */
async function thingsOf({ api: { store } }: Scene): Promise<unknown> {
  const acme = { workspace: 'acme' };
  return Promise.all([
    store.listKeys(acme),
    store.listChannels(acme),
    store.listHeartbeats(acme),
    store.listWebhooks(acme),
    store.listMaintenance(acme),
    store.listRotas(acme),
    store.listAlerts({ ...acme, limit: 100 }).then((page) => granted(page).alerts.map(({ id, state }) => [id, state])),
    store.listDevices({ ...acme, limit: 100 }),
    store.listEvents({ ...acme, limit: 100 }),
    store.findUser({ email: CARL }),
    store.listMembers(acme).then((members) => granted(members).filter(({ email }) => email === BOB)),
    store
      .listAudit({ limit: 100 })
      .then((audit) => granted(audit).entries.filter(({ actor }) => actor.kind === 'user')),
  ]);
}

test('a request whose session ends while it is on its way changes nothing', async () => {
  assert.ok(OF_PEOPLE.length >= 8);
  for (const operation of OF_PEOPLE) {
    await withScene(async (scene) => {
      const before = await thingsOf(scene);
      const signOut = async () => granted(await scene.api.store.closeSessions({ email: CARL }));
      const { status, text } = await answerAfter(scene, operation, scene.token, signOut);
      assert.is(status, 401, operation.operationId);
      // The example of a passkey answers no challenge of ours, and is refused before the session is looked at again.
      assert.match(text, operation.operationId === 'addPasskey' ? 'wrong_passkey' : 'not_signed_in');
      assert.equal(await thingsOf(scene), before, operation.operationId);
    });
  }
});

test('an admin who is removed or demoted while a request is on its way gets nothing done by it', async () => {
  assert.ok(OF_MANAGERS.length >= 5);
  const acme = { workspace: 'acme', email: CARL };
  for (const operation of OF_MANAGERS) {
    await withScene(async (scene) => {
      const { store } = scene.api;
      const demote = async () => granted(await store.setMemberRole({ ...acme, role: 'member' }));
      const promote = async () => granted(await store.setMemberRole({ ...acme, role: 'admin' }));
      const remove = async () => granted(await store.removeMember(acme));
      const before = await thingsOf(scene);
      assert.is((await answerAfter(scene, operation, scene.token, demote)).status, 403, operation.operationId);
      assert.equal(await thingsOf(scene), before, operation.operationId);
      await promote();
      assert.is((await answerAfter(scene, operation, scene.token, remove)).status, 404, operation.operationId);
      await scene.api.join(CARL, { role: 'admin' });
      assert.equal(await thingsOf(scene), before, operation.operationId);
    });
  }
});

test('a key that is revoked, and one whose workspace is suspended, while a request is on its way posts nothing', async () => {
  assert.ok(OF_KEYS.length >= 1);
  for (const operation of OF_KEYS) {
    await withScene(async (scene) => {
      const { api } = scene;
      const suspend = async () => granted(await api.store.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
      const scopes = { scopes: operation.scopes ?? [] };
      const { text } = await api.issueKey(scopes);
      const before = await thingsOf(scene);
      const suspended = await answerAfter(scene, operation, text, suspend);
      assert.equal([suspended.status, JSON.parse(suspended.text).code], [403, 'workspace_inactive']);
      granted(await api.store.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
      const key = await api.issueKey(scopes);
      const revoked = await answerAfter(scene, operation, key.text, async () =>
        granted(await api.store.revokeKey({ id: key.id })),
      );
      assert.equal([revoked.status, JSON.parse(revoked.text).code], [403, 'key_revoked']);
      const [, ...others] = (await thingsOf(scene)) as unknown[];
      assert.equal(others, (before as unknown[]).slice(1), operation.operationId);
    });
  }
});

test.run();
