import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PLATFORMS, type Platform } from '../../src/push.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { aMember, type Client, register, signIn } from '../support/app-client.ts';
import { ADA } from '../support/cast.ts';
import { Cli } from '../support/cli.ts';
import { Opened } from '../support/opened.ts';
import { settled, startTestServer, type TestServer } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** A member with a phone of each make and a browser, subscribed to `alerts`. */
interface Person {
  readonly email: string;
  readonly client: Client;
  readonly devices: readonly (Addressed & { readonly id: string })[];
}
/** Where a device gets its pushes. `body`: how an app registers it. */
interface Addressed {
  readonly token: string;
  readonly body: { readonly platform: Platform; readonly [field: string]: unknown };
}
interface Scene extends TestServer {
  readonly ada: Client;
  pushctl(...args: readonly string[]): Promise<unknown>;
}

/** How somebody's devices lose their right to a push, by the API and by the command line. */
const ENDS: Readonly<Record<string, (scene: Scene, person: Person) => Promise<unknown>>> = {
  unsubscribes: (_, { client, devices }) =>
    each(devices, ({ id }) => client.ask('DELETE', `/devices/${id}/subscriptions/acme/alerts`)),
  returns: (_, { client, devices }) =>
    each(devices, async ({ id }) => {
      await client.ask('DELETE', `/devices/${id}/subscriptions/acme/alerts`);
      await client.ask('PUT', `/devices/${id}/subscriptions/acme/alerts`);
    }),
  removes: (_, { client, devices }) => each(devices, ({ id }) => client.ask('DELETE', `/devices/${id}`)),
  'gives-away': ({ ada }, { devices }) => each(devices, ({ body }) => ada.ask('POST', '/devices', body)),
  'is-removed': ({ ada }, { email }) => ada.ask('DELETE', `/workspaces/acme/members/${email}`),
  'is-removed-by-pushctl': ({ pushctl }, { email }) => pushctl('member', 'remove', 'acme', email),
  'loses-a-phone-to-pushctl': ({ pushctl }, { devices }) => each(devices, ({ id }) => pushctl('device', 'remove', id)),
};

test('nothing that a thread holds goes to a device that has lost its right, and all others get theirs', async () => {
  await using opened = new Opened();
  const proxies: Awaited<ReturnType<typeof startTcpProxy>>[] = [];
  const started = await startTestServer(opened, {
    // Nothing of this ends by a deadline, on the busiest machine.
    pool: { limits: { deadlineMs: 80_000 } },
    env: async (sandbox) => {
      const { apns, fcm, webpush } = sandbox;
      for (const url of [apns.productionUrl, fcm.url, webpush.urls.webpush_mozilla]) {
        proxies.push(opened.add(await startTcpProxy(url)));
      }
      const [apnsUrl, fcmUrl, mozillaUrl] = proxies.map(({ url }) => url);
      return {
        PUSHCTL_APNS_ENDPOINT_PRODUCTION: String(apnsUrl),
        PUSHCTL_FCM_ENDPOINT: String(fcmUrl),
        PUSHCTL_WEBPUSH_ENDPOINTS: `${new URL(sandbox.token({ platform: 'web' })).origin}=${mozillaUrl}`,
      };
    },
  });
  const { sandbox, team, env } = started;
  const cli = new Cli();
  const pushctl: Scene['pushctl'] = (...args) =>
    cli.json(args, { env: { PUSHCTL_DATA_DIR: String(env.PUSHCTL_DATA_DIR) } });
  const scene: Scene = { ...started, ada: await signIn(started, ADA), pushctl };
  const leaving = new Map<string, Person>();
  for (const name of Object.keys(ENDS)) leaving.set(name, await aPerson(scene, name));
  const mover = await aPerson(scene, 'moves');
  const stayer = await aPerson(scene, 'stays');

  for (const proxy of proxies) proxy.hold();
  const { body } = await team.post();
  const people = leaving.size + 2;
  const onTheirWay = () => proxies.map(({ connections }) => connections);
  await until('all to be on their way', () => String(onTheirWay()) === String([1, people, people]));
  for (const [name, person] of leaving) await ENDS[name]?.(scene, person);
  const moved: string[] = [];
  for (const { id, body } of mover.devices) {
    const { token, body: next } = anAddress(sandbox, body.platform);
    const { platform: _, ...address } = next;
    assert.is((await mover.client.ask('PATCH', `/devices/${id}`, address)).status, 200);
    moved.push(token);
  }
  for (const proxy of proxies) proxy.release();

  const { deliveries } = await settled(team, body.event.public_id);
  const { accepted, withdrawn, failed } = deliveries;
  assert.equal({ accepted, withdrawn, failed }, { accepted: 6, withdrawn: 3 * leaving.size, failed: 0 });
  const arrived = sandbox.pushes.map(({ token }) => token).sort();
  assert.equal(arrived, [...stayer.devices.map(({ token }) => token), ...moved].sort());
  assert.is(sandbox.counts.refused, 0);
});

test.run();

async function aPerson(scene: Scene, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const client = await aMember(scene, email);
  const devices = await Promise.all(
    PLATFORMS.map(async (platform) => {
      const address = anAddress(scene.sandbox, platform);
      return { ...address, id: await register(client, address.body) };
    }),
  );
  return { email, client, devices };
}

function anAddress(sandbox: Sandbox, platform: Platform): Addressed {
  const token = sandbox.token({ platform });
  const subscription = () => ({ endpoint: token, keys: sandbox.webpush.keysOf(token) });
  return { token, body: { platform, ...(platform === 'web' ? { subscription: subscription() } : { token }) } };
}

async function each<T>(things: readonly T[], act: (thing: T) => Promise<unknown>): Promise<void> {
  for (const thing of things) await act(thing);
}
